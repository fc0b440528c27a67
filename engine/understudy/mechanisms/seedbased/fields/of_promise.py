"""What a plan promises, to whom, and what is publicly known beforehand."""

from __future__ import annotations

from typing import Final

from understudy.mechanisms.fields import Field, Option, Place, Switch, Words
from understudy.mechanisms.kinds import Flag, Number, Scale, Whole
from understudy.mechanisms.seedbased.fields.groups import PROMISE, tested
from understudy.privacy.budget import DELTA

THE_PROMISE: Final = (
    Field(
        name="delta",
        words=Words(
            sign="δ",
            label="what is added",
            meaning="What is added to e^ε times the probability; so much was allowed.",
            help=f"**δ** (delta). {DELTA}",
        ),
        kind=Number(Scale(1e-15, 1e-3, powers=True), step=1e-10),
        group=PROMISE,
        places=(Place("delta", "delta"),),
        option=Option(
            "δ of the total: what is added to e^ε times the probability; far below one in the "
            "number of records (default 1e-9)."
        ),
    ),
    Field(
        name="seeds_at_least",
        words=Words(
            label="Seed records, at least",
            meaning="So many are counted on.",
            help="How many seed records are counted on. The promise about rejected candidates "
            "rests on it. Each record becomes a seed by a coin, so the table must be publicly "
            "known to have a few times as many records; the number is under “How the total comes "
            "about”.",
        ),
        kind=Whole(Scale(100, 1e7)),
        group=PROMISE,
        places=(Place("seeds_at_least", "seeds_at_least"),),
        unit="records",
        option=Option(
            "How many seed records are counted on. The guarantee then covers rejections "
            "(synthesize and propose: as many as follow from the records; account and plan: left "
            "out)."
        ),
        applies=tested,
    ),
    Field(
        name="public_records",
        words=Words(
            label="Records publicly known to be in the table, at least",
            meaning="Confirmed by the custodian before the run; not counted in the table.",
            help="A number of records that everybody may know the table has at least, with or "
            "without any one person: from a publication, or because it covers a known population. "
            "Not a number you counted. A plan that looks at seeds counts on it, and the statement "
            "calls it public knowledge because you say so here.",
        ),
        kind=Whole(),
        group=PROMISE,
        places=(Place("public_records", "public_records"),),
        unit="records",
        option=Option(
            "How many records everybody may know the table to have at least, with or without any "
            "one person: from a publication, not counted in it. A plan that looks at seeds counts "
            "on it.",
            name="--records",
        ),
        none="nobody has said",
        may_be_empty=True,
    ),
    Field(
        name="records_per_person",
        words=Words(
            label="Records per person, at most",
            meaning="The guarantee holds for all of them together.",
            help="The most records that one person may have in the table. The promise is then for "
            "all of them together, and costs more than for one.",
        ),
        kind=Whole(),
        group=PROMISE,
        places=(Place("records_per_person", "records_per_person"),),
        unit="records",
        option=Option(
            "The most records that one person may have in the table; the guarantee is for all of "
            "them together (default 1)."
        ),
    ),
    Field(
        name="sampling",
        words=Words(
            label="Chance of having got into the table",
            meaning="The table is claimed to be a secret random sample, taken with this chance.",
            help="Only if the table is itself a secret random sample: each member of a population "
            "got in independently with this chance, and nobody knows who did. A second, smaller "
            "figure then speaks of whether somebody is a member of the population. What is "
            "promised to whoever is in the table stays the same.",
        ),
        kind=Number(step=0.01, digits=12),
        group=PROMISE,
        places=(Place("sampling", "sampling"),),
        unit="chance",
        option=Option(
            "The chance with which each member of a population got into the table, only where the "
            "table is itself a secret random sample. Adds a figure between populations and changes "
            "none between tables (default: not claimed)."
        ),
        stands="folded",
        none="not claimed",
        usual=0.01,
        switch=Switch(
            "sampled",
            "The table is a secret random sample",
            "Only if the table is itself a secret random sample: each member of a population got "
            "in independently with this chance, and nobody knows who did. A second, smaller figure "
            "then speaks of whether somebody is a member of the population. What is promised to "
            "whoever is in the table stays the same.",
            on="value",
            caution="Only true if nobody can know who was sampled, and each person was chosen "
            "independently of all others. If in doubt, leave it off.",
        ),
    ),
    Field(
        name="chosen_by_looking",
        words=Words(
            label="Chosen by looking",
            meaning="The settings were adopted after looking at figures computed from these "
            "records without noise. The guarantee does not cover what that choice shows.",
        ),
        kind=Flag(),
        group=PROMISE,
        places=(Place("chosen_by_looking", "chosen_by_looking"),),
        stands="elsewhere",
    ),
)
