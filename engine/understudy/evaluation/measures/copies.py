"""Records of a table that are copies of some record used, or nearly, beside those of others.

A record is used if the table was made from it: a seed, or where a plan has none, a record that its
model was learned from.
"""

from __future__ import annotations

import math

from understudy.evaluation.matches import Closer, Columns, Matches, within
from understudy.evaluation.measure import About


def _about(key: str, name: str, columns: str) -> About:
    return About(
        key=key,
        name=name,
        sentence=(
            f"How many more records of the table differ in at most {columns} from some record "
            "used than from some of as many real records that had no part in it."
        ),
        low=-1.0,
        high=1.0,
        better="lower",
        group="disclosure",
        parts="real records",
        ideal=0.0,
    )


EXACT = Matches(
    About(
        key="exact-matches",
        name="Exact copies",
        sentence=(
            "How many more records of the table are the same in every column as some record used "
            "than are the same as some of as many real records that had no part in it. Records "
            "of many columns seldom match by chance, common ones do: the second share is what "
            "chance does."
        ),
        low=-1.0,
        high=1.0,
        better="lower",
        group="disclosure",
        parts="real records",
        ideal=0.0,
    ),
    within(0),
)

ONE = Matches(_about("near-matches", "Copies except for one column", "one column"), within(1))

TWO = Matches(_about("near-matches-two", "Copies except for two columns", "two columns"), within(2))

CLOSER = Closer(
    About(
        key="closer-to-used",
        name="Closer to records used",
        sentence=(
            "How many of the table's records stand closer to some record used than to any of "
            "as many real records that had no part in it; those as close to either count half. "
            "50 % is what a table would show that owes nothing to the records used."
        ),
        low=0.0,
        high=1.0,
        better="lower",
        group="disclosure",
        parts="real records",
        ideal=0.5,
    )
)

COLUMNS = Columns(
    About(
        key="columns-closer-to-used",
        name="Columns closer to records used",
        sentence=(
            "In how many columns fewer a record of the table differs from the nearest record used "
            "than from the nearest of as many real records that had no part in it, on average."
        ),
        low=-math.inf,
        high=math.inf,
        better="lower",
        group="disclosure",
        parts="real records",
        ideal=0.0,
        unit="number",
    )
)
