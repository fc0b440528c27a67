"""Records of a table that are some seed, letter by letter, beside those that are no seed's."""

from __future__ import annotations

from engine.evaluation.matches import Matches, within
from engine.evaluation.measure import About

MEASURE = Matches(
    About(
        key="exact-matches",
        name="Exact copies",
        sentence=(
            "How many more records of the table are the same in every column as some seed than "
            "are the same as some of as many real records that had no part in it. Records of "
            "many columns seldom match by chance, common ones do: the second share is what "
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
