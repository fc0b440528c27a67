from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.engine.table.refusals import refused
from tests.engine.table.rules.oracle import COLUMNS, RULES
from understudy.core.refusal import Refusal
from understudy.table.rules.rule import MOST_RULES, Rule
from understudy.table.rules.validate_file import load_rules, read_rules

LINES = """\
# Rules of the survey
grid >= 1   # no noughts

if (grid < 2)
  other == "y" else
  other == "z"
(kind == "x") +
  (other == "y") <= 1
mean(fine) > 3; x
kind == "#y" |
  is.na(kind)
agee < 16
grid >= 1
"""

YAML = """\
rules:
- expr: if (grid < 2) other == "y"
  name: V1
  label: young ones
  description: |
    They have no
    other.
  created: 2026-01-01 10:00:00
  origin: rules.R
  meta:
    language: validate 1.1.5
    severity: error
- expr: 'kind == "x" | is.na(kind)'
  name: "V\\"2"
- name: V3
  expr: fine <
    coarse
- expr: mean(fine) > 3
  name: V4
- name: V5
options:
  raise: none
"""


def test_lines_of_r_are_read_and_the_others_named() -> None:
    found = read_rules(LINES, COLUMNS)
    assert [rule.text for rule in found.rules] == [
        "grid >= 1",
        'if (grid < 2) other == "y" else other == "z"',
        '(kind == "x") + (other == "y") <= 1',
    ]
    assert [(each.line, each.text) for each in found.refused] == [
        (9, "mean(fine) > 3; x"),
        (10, 'kind == "#y" | is.na(kind)'),
        (12, "agee < 16"),
        (13, "grid >= 1"),
    ]
    assert "“mean”" in found.refused[0].sentence
    assert "none of the values of “kind”" in found.refused[1].sentence
    assert "no column “agee”" in found.refused[2].sentence
    assert found.refused[3].sentence.startswith("Line 13: The rule “grid >= 1” stands")
    assert found.notes == ()


def test_yaml_is_read_with_names_and_descriptions() -> None:
    found = read_rules(YAML, COLUMNS)
    assert found.rules == (
        Rule(text='if (grid < 2) other == "y"', name="young ones", note="They have no other."),
        Rule(text='kind == "x" | is.na(kind)', name='V"2'),
        Rule(text="fine < coarse", name="V3"),
    )
    assert [each.line for each in found.refused] == [18, 20]
    assert "empty" in found.refused[1].problem
    assert found.notes == (
        "Not used of the file: “created”, “origin”, “meta”, “options”, “raise”.",
    )


@given(st.lists(RULES, min_size=1, max_size=4, unique=True))
def test_whatever_is_written_a_line_is_read_in_order(texts: list[str]) -> None:
    found = read_rules("\n".join(texts), COLUMNS)
    assert [rule.text for rule in found.rules] == texts
    assert not found.refused


@given(st.text(max_size=80) | st.text("rules:- exprnam'\"|>\n {}()#", max_size=80))
def test_any_file_comes_to_rules_and_sentences_or_is_refused(content: str) -> None:
    try:
        found = read_rules(content, COLUMNS)
    except Refusal:
        return
    assert found.rules or found.refused


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rules.R"
    assert "cannot be read" in refused(load_rules, path, COLUMNS).problem
    path.write_bytes(b"\xff")
    assert "UTF-8" in refused(load_rules, path, COLUMNS).problem
    path.write_text("# nothing")
    assert "no rule" in refused(load_rules, path, COLUMNS).problem
    path.write_text("\n".join(f"grid >= {each}" for each in range(MOST_RULES + 1)))
    assert "501" in refused(load_rules, path, COLUMNS).problem
    path.write_text("\ufeffgrid >= 1\r\n")
    assert load_rules(path, COLUMNS).rules == (Rule(text="grid >= 1"),)
