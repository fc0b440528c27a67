"""What the planner is asked: what may be spent, and what is wanted and known.

A field here is called as in `understudy.mechanisms.seedbased.proposal.Wanted`, and one that a plan
has too is the plan's. What only steers how a plan is made has no place in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from understudy.mechanisms.fields import (
    EPSILON,
    SPENT,
    Field,
    FieldGroup,
    FieldTable,
    Option,
    Words,
    always,
    holds,
)
from understudy.mechanisms.kinds import Choice, Whole
from understudy.mechanisms.seedbased.fields.model_fields import THE_MARKS
from understudy.mechanisms.seedbased.fields.table import FIELDS

PURPOSES: Final[Mapping[str, str]] = {
    "table": "A whole table",
    "alike": "Records like given ones",
}
"""What a synthetic table is for."""

SERVES: Final[Mapping[str, str]] = {
    "table": "Stands in for the confidential table, with any number of rows.",
    "alike": "Each row is made from a real one, and tested.",
}
"""What each purpose is, in a sentence."""

MARKED: Final = tuple(each.name for each in THE_MARKS)
"""The fields of what must survive."""

_MUCH: Final = FieldGroup("How much is wanted?", "")

_MADE: Final = Words(
    label="How many attempts?",
    meaning="So many candidates are made and tested.",
    help=FIELDS["attempts"].words.help,
)
_RELEASED: Final = Words(
    label="How many records?",
    meaning="So many records are released.",
    help=FIELDS["attempts"].choose_words({"protocol": "releases"}).help,
)

WANTED: Final = FieldTable(
    (
        EPSILON,
        replace(FIELDS["delta"], words=replace(FIELDS["delta"].words, label="δ at most", sign="")),
        Field(
            name="records",
            words=Words(
                label="Records in the table, at least",
                meaning="So many the table is publicly known to have.",
                help="A number of records that everybody may know the table has at least: from a "
                "publication, or because it covers a known population. It says beforehand how near "
                "each plan will come, and how many seeds can be counted on.",
            ),
            kind=Whole(),
            group=SPENT,
            unit="records",
            option=Option(
                "How many records the table is publicly known to have at least. Without it, "
                "nearness cannot be predicted."
            ),
            none="not known yet",
            may_be_empty=True,
        ),
        Field(
            name="rows",
            words=Words(
                label="Rows in the synthetic table",
                meaning="How many records a whole table is to have.",
                help="How many rows the synthetic table is to have. They are all drawn from the "
                "one model, so that more of them cost nothing more.",
            ),
            kind=Whole(),
            group=_MUCH,
            unit="N",
            option=Option("How many records a whole table is to have (default 10,000)."),
        ),
        Field(
            name="attempts",
            words=_MADE,
            kind=Whole(),
            group=_MUCH,
            unit="N",
            option=Option("How many candidates like given records are made (default 1,000)."),
            variants=((holds("protocol", "releases"), _RELEASED),),
        ),
        Field(
            name="kept",
            words=Words(
                label="Columns copied",
                meaning="How many columns of a candidate are copied from its seed.",
                help="Each candidate starts from a real record, its seed: so many columns are "
                "copied from it, and the rest are drawn afresh from the model. The more are "
                "copied, the more a candidate is like a record that exists, and the fewer other "
                "records could have made it. 0 copies nothing (seedless). ω counts the columns "
                "drawn afresh: all but those copied.",
            ),
            kind=Whole(),
            group=_MUCH,
            unit="columns",
            option=Option("How many columns each of these copies from its seed (default 1)."),
        ),
        *(replace(FIELDS[name], applies=always) for name in MARKED),
        replace(FIELDS["seeds_at_least"], none="worked out from the records", may_be_empty=True),
        FIELDS["records_per_person"],
        Field(
            name="purpose",
            words=Words(
                label="What is the synthetic table for?",
                meaning="What it is proposed for.",
                help="A whole table is best drawn from the model alone; where every row should be "
                "like a record that exists, each is made from one, and tested.",
            ),
            kind=Choice(PURPOSES),
            group=_MUCH,
            option=Option(
                "What the synthetic table is for: a whole table, or records like given ones. Says "
                "which plan --save-plan saves (default table)."
            ),
        ),
    )
)
"""What `understudy propose` and the questions of the page ask, except for what has the planner's
own choice: the test, and what a reader sees."""
