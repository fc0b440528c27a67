"""Rules on the command line: added to a schema, counted on a table, and named where they cannot be
used.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema

RULES = """\
# Everybody knows that
if (age < 10) kind == "x"
age >= 0
kind == "z"
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.R"
    path.write_text(RULES, encoding="utf-8")
    return path


def test_rules_are_added_to_a_schema_and_counted(
    understudy: Callable[..., Any], small: tuple[Path, Path], rules: Path
) -> None:
    table, schema = small
    assert Schema.load(schema).declared
    ended = understudy("rules", table, "--schema", schema, "--add", rules, "--examples")
    assert ended.status == 0
    text = " ".join(ended.out.split())
    assert 'if (age < 10) kind == "x"  not said    50' in ended.out
    assert "Internal: 50 records are left out of 310. 92 records were not looked at" in text
    assert "Whatever its columns may contain keeps it" in text
    assert "Records that break “if (age < 10)" in ended.out
    assert 'Not used: Line 4: In the rule “kind == "z"”' in text
    assert "4711secret" not in ended.out
    found = Schema.load(schema)
    assert [rule.text for rule in found.rules] == ['if (age < 10) kind == "x"', "age >= 0"]
    assert not found.declared


def test_figures_and_rules_without_a_table(
    understudy: Callable[..., Any], small: tuple[Path, Path], rules: Path
) -> None:
    table, schema = small
    ended = understudy("rules", "--schema", schema, "--add", rules)
    assert ended.status == 0
    assert "internal" not in ended.out
    before = schema.read_bytes()
    figures = json.loads(understudy("rules", table, "--schema", schema, "--json").out)
    assert schema.read_bytes() == before
    assert figures["rules"][0]["broken"] == 50
    assert "examples" not in figures["rules"][0]
    assert (figures["records"], figures["not_looked_at"], figures["left_out"]) == (310, 92, 50)
    figures = json.loads(understudy("rules", "--schema", schema, "--json", "--add", rules).out)
    assert len(figures["rules"]) == 2
    assert len(figures["not_used"]) == 1


def test_rules_that_leave_nothing_change_no_file(
    understudy: Callable[..., Any], small: tuple[Path, Path], rules: Path
) -> None:
    table, schema = small
    before = schema.read_bytes()
    rules.write_text('kind == "x"\nkind == "y"', encoding="utf-8")
    refusal = understudy("rules", table, "--schema", schema, "--add", rules).refusal
    assert refusal.startswith('No record can meet these rules together: “kind == "x"” and')
    assert schema.read_bytes() == before


def test_a_schema_is_suggested_and_declared_with_rules(
    understudy: Callable[..., Any], rules: Path, tmp_path: Path
) -> None:
    table = tmp_path / "table.csv"
    rows = [f"{number % 40},{'xy'[number % 2]}" for number in range(400)]
    table.write_text("\n".join(["age,kind", *rows]), encoding="utf-8")
    out = tmp_path / "new.json"
    ended = understudy("schema", table, "--out", out, "--rules", rules)
    assert ended.status == 0
    assert Schema.load(out).rules
    assert "Break it (internal)" in ended.out
    refusal = understudy("schema", table, "--out", tmp_path / "x", "--rules", table / "no").refusal
    assert refusal.startswith("--rules: The file of rules")
    rules.write_text('kind != "x" | kind != "y"', encoding="utf-8")
    declare = [
        "--declare-public",
        "--note",
        "the code book",
        "--origin",
        "codebook",
        "--rules",
        rules,
        "--json",
    ]
    figures = json.loads(understudy("schema", table, "--out", out, *declare).out)
    assert len(figures["rules"]) == 3
    assert figures["rules_not_used"] == []
    assert Schema.load(out).declared
    assert Schema.load(out).rules[-1] == Rule(text='kind != "x" | kind != "y"')
