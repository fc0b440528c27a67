from __future__ import annotations

import pytest

from tests.engine.table.refusals import refused
from tests.engine.table.rules.oracle import COLUMNS
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema

SCHEMA = Schema(columns=COLUMNS)


@pytest.mark.parametrize(
    ("text", "problem", "remedy"),
    [
        ("kinds == 'x'", "no column “kinds”", "Did you mean “kind”?"),
        ("nothing < 3", "no column “nothing”", "Name a column"),
        ("kind == 'zet'", "“zet” is none of the values of “kind”", "Did you mean “zed”?"),
        ("kind == 'not askd'", "none of the values", "Did you mean “not asked”?"),
        ("kind == 'q'", "none of the values", '"x", "y", "z"'),
        ("kind == 3", "“kind” holds texts, and 3 is a number", '"x", "y", "z"'),
        ("kind < 'y'", "“kind” holds texts, which have no order", "=="),
        ("kind + 1 == 2", "“kind” holds texts", "=="),
        ("grid == 4", "“grid” never is 4: it goes from 0 to 3 in steps of 1", "is 3."),
        ("grid %in% c(1, -5)", "“grid” never is -5", "is 0."),
        ("fine == 0.7", "“fine” never is 0.7: it goes from 0 to 5 to the nearest 0.5", "is 0.5."),
        ("grid == 'x'", "“grid” holds numbers, and “x” is none", "such as 0"),
        ("grid < 'x'", "“grid” holds numbers, and “x” is none", "such as 0"),
        ("(kind == 'x') < 'x'", "a text is compared with a number", "quotation marks"),
        ("day == 3", "“day” holds dates, and 3 is a plain number", '"2020-01-03"'),
        ("day == '2021-01-01'", "“day” never is 2021-01-01", '"2020-01-14"'),
        ("day < 'soon'", "“day” holds dates, and “soon” is none", '"2020-01-03"'),
        ("day < 3", "“day” holds dates, which are compared with a number", "difference"),
        ("day + later < '2020-01-03'", "compared with a number", "difference"),
        ("grid * fine < 3", "multiplied with each other", "by numbers only"),
        ("grid / fine < 3", "divides by a column", "Multiply"),
        ("grid / 0 < 3", "divides by a column or by 0", "Multiply"),
        ("grid", "“grid” does not hold true and false alone", "one of its values"),
        ("grid + 1", "this is no condition", "Compare it"),
        ("3 < 4", "no column decides this", "Compare a column"),
        ("grid + 1 %in% c(1, 2) < 3", "only a column can be in a list", "before %in%"),
    ],
)
def test_what_names_nothing_is_refused_with_what_is_near(
    text: str, problem: str, remedy: str
) -> None:
    refusal = refused(SCHEMA.with_rules, [Rule(text=text)])
    assert problem in refusal.problem
    assert remedy in refusal.remedy
    assert refusal.field == "rules"


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("kind == 'ex'", [1, 0, 0, 1, 1]),
        ("kind != 'not asked'", [1, 1, 1, 1, 0]),
        ("kind == -8", [0, 0, 0, 0, 1]),
        ("is.na(kind)", [0, 0, 0, 1, 1]),
        ("other == TRUE", None),
        ("other", None),
    ],
)
def test_values_are_named_by_text_or_label_and_codes_for_missing_by_meaning(
    text: str, allowed: list[int] | None
) -> None:
    if allowed is None:
        refused(SCHEMA.with_rules, [Rule(text=text)])
    else:
        assert Rule(text=text).relation(SCHEMA).allowed.tolist() == [bool(x) for x in allowed]
