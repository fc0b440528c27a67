"""The table of fields, with those of the promise and of accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from understudy.core.numerals import percent, significant
from understudy.mechanisms.fields import Field, FieldGroup, FieldTable, Option, Place, Switch, Words
from understudy.mechanisms.kinds import AsJson, Kind, Number, Scale, Share, Text, Whole
from understudy.mechanisms.seedbased.fields.candidate_fields import THE_CANDIDATES, THE_TEST
from understudy.mechanisms.seedbased.fields.model_fields import (
    PROMISE,
    THE_MARKS,
    THE_MODEL,
    THE_RECORDS,
    is_tested,
)
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
        applies=is_tested,
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
)


ACCURACY: Final = FieldGroup("Figures of accuracy that may be published", "Accuracy")


@dataclass(frozen=True)
class _Statistics(AsJson):
    """Statistics of an acceptance test, read as they stand in a plan file."""

    def show(self, value: Any) -> str:
        """Return what is measured, and how far each may be off."""
        # Forms and options read this table before anything of a plan is needed.
        from understudy.acceptance.statistics import AcceptanceTest, MeanOf, statistic_words

        said = []
        for each in AcceptanceTest.read({"epsilon": 1, "statistics": value}).statistics:
            told = significant if isinstance(each, MeanOf) else percent
            limit = "" if each.limit is None else f", limit {told(each.limit)}"
            said.append(f"{statistic_words(each, {})}{limit}")
        return "; ".join(said)


def _field(name: str, label: str, meaning: str, kind: Kind, path: str) -> Field:
    return Field(
        name=name,
        words=Words(label=label, meaning=meaning),
        kind=kind,
        group=ACCURACY,
        places=(Place(name, path),),
        stands="elsewhere",
    )


THE_ACCURACY: Final = (
    _field(
        "acceptance_statistics",
        "Acceptance test, what is measured",
        "Figures that are measured with noise on records held out, and released.",
        _Statistics(),
        "acceptance.statistics",
    ),
    _field(
        "acceptance_epsilon",
        "Acceptance test, ε of all figures together",
        "What the figures of the acceptance test cost one record that is held out.",
        Number(),
        "acceptance.epsilon",
    ),
    _field(
        "acceptance_confidence",
        "Acceptance test, confidence of its intervals",
        "How often such an interval holds what it is about.",
        Share(),
        "acceptance.confidence",
    ),
)


OTHERS: Final = Field(
    name="others",
    words=Words(
        label="Other settings",
        meaning="Settings that have no option of their own.",
    ),
    kind=Text(),
    group=PROMISE,
    unit="name=value",
    option=Option(
        "A setting that has no option of its own, by its name in the plan file, its value as in "
        "JSON or a word. May be repeated. `understudy method seedbased --help` lists all settings.",
        name="--set",
        several=True,
    ),
    stands="elsewhere",
)


FIELDS: Final = FieldTable(
    (
        *THE_TEST,
        *THE_CANDIDATES,
        *THE_PROMISE,
        OTHERS,
        *THE_MODEL,
        *THE_MARKS,
        *THE_RECORDS,
        *THE_ACCURACY,
    ),
    derived={"domain": "the fingerprint of the schema that the plan is made for"},
)
"""All that a plan of this method says otherwise, or the command line has an option for; what else a
plan has is as it declares it."""
