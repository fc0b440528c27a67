"""What must survive: a target, columns, pairs and triples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from understudy.mechanisms.fields import Field, Option, Place, Words
from understudy.mechanisms.kinds import GroupsOfColumns, OfColumns
from understudy.mechanisms.seedbased.fields.groups import MODEL, has_marks


@dataclass(frozen=True)
class _Together(GroupsOfColumns):
    """Pairs and triples of columns, on the command line with commas within and semicolons
    between."""

    def read(self, text: str) -> Any:
        """As `Kind`; names that hold a comma or semicolon as in a plan file, in JSON."""
        if text.lstrip().startswith("["):
            return super().read(text)
        return [[name.strip() for name in group.split(",")] for group in text.split(";")]


THE_MARKS: Final = (
    Field(
        name="target",
        words=Words(
            label="Target",
            meaning="The column that others are used to explain: every pair with it counts for "
            "more.",
            help="The column that analyses will explain or predict, such as an outcome. Every "
            "pair with it counts for more when the budget is divided.",
        ),
        kind=OfColumns(),
        group=MODEL,
        places=(Place("target", "marks.target"),),
        unit="column",
        option=Option(
            "The column that others are used to explain: every pair with it gets more of the "
            "budget, and others less (default: none)."
        ),
        stands="elsewhere",
        applies=has_marks,
        may_be_empty=True,
    ),
    Field(
        name="survive",
        words=Words(
            label="Columns that must survive",
            meaning="They, and every pair of them with another column, count for more.",
            help="Columns that matter more than others, by themselves and with others.",
        ),
        kind=OfColumns(several=True),
        group=MODEL,
        places=(Place("survive", "marks.columns"),),
        unit="columns",
        option=Option(
            "Columns that matter more than others, with commas between: they get more of the "
            "budget, and others less (default: none).",
            name="--must-survive",
        ),
        stands="elsewhere",
        applies=has_marks,
        usual=[],
    ),
    Field(
        name="together",
        words=Words(
            label="Pairs and triples that must survive",
            meaning="How these columns hang together counts for much more than other pairs.",
            help="Two or three columns each, whose relation must survive: a marked pair is "
            "measured before others, and more precisely. A triple is measured once its pairs are "
            "known.",
        ),
        kind=_Together(),
        group=MODEL,
        places=(Place("together", "marks.together"),),
        unit="A,B;C,D,E",
        option=Option(
            "Pairs and triples of columns that must survive, with commas within each and "
            "semicolons between them: they get more of the budget, and others less (default: "
            "none).",
        ),
        stands="elsewhere",
        applies=has_marks,
        usual=[],
    ),
)
