from __future__ import annotations

import ast
import importlib
import inspect
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from pkgutil import iter_modules, walk_packages
from typing import Any

import pytest

import engine.audit
from engine.audit import calibrated, composed, mutants, report
from engine.audit.finding import Check, Effort, Measured
from engine.privacy.randomness import RandomSource

TINY = Effort(0.02)


Named = tuple[str, str, str]


def _planned() -> Iterator[Any]:
    """Every check of the audit. What the calibrated model asks takes seconds, and is tried on as
    few tables by tests of its own."""
    claims = {each.name for each in calibrated.checks()}
    broken = {f"calibrated model, {name}" for name, *_ in mutants._LEARNERS}
    for each in report.checks():
        marks = []
        if each.name in claims:
            marks.append(
                pytest.mark.thorough("engine/audit/test_calibrated.py::test_every_claim_holds")
            )
        if each.name in broken:
            marks.append(
                pytest.mark.thorough("engine/audit/test_mutants.py::test_mutants_are_caught")
            )
        yield pytest.param(each, marks=marks, id=f"{each.part}, {each.name}")


@pytest.mark.parametrize("check", [*_planned()])
def test_the_audit_is_well_at_little_effort(check: Check) -> None:
    figures = report.as_dict(report.findings((check,), TINY), TINY)
    (row,) = figures["checks"]
    assert figures["passed"], row
    assert figures["cases"] == row["cases"] > 0
    json.dumps(figures, allow_nan=False)


def test_the_cases_of_an_audit_are_those_of_all_its_checks() -> None:
    figures = report.as_dict(report.findings(composed.checks(), TINY), TINY)
    assert [row["name"] for row in figures["checks"]] == [each.name for each in composed.checks()]
    assert figures["cases"] == sum(row["cases"] for row in figures["checks"])


def named(check: Check) -> Named:
    return check.part, check.name, check.kind


def written() -> Iterator[Named]:
    """What every function gives that gives checks, in every module of the audit and of methods'."""
    found = importlib.import_module("engine.mechanisms")
    names = [each.name for each in walk_packages(found.__path__, "engine.mechanisms.")]
    ours = [each.name for each in iter_modules(engine.audit.__path__, "engine.audit.")]
    ours += [name for name in names if ".audit." in name]
    for module in map(importlib.import_module, ours):
        for name, each in vars(module).items():
            if (
                not name.startswith("_")
                and getattr(each, "__module__", "") == module.__name__ != report.__name__
                and getattr(each, "__annotations__", {}).get("return") == "tuple[Check, ...]"
            ):
                given = (RandomSource.fixed(1), 1e-7)[: len(inspect.signature(each).parameters)]
                yield from map(named, each(*given))


def test_every_check_that_is_written_is_in_the_audit_once() -> None:
    planned = Counter(map(named, report.checks(RandomSource.fixed(1))))
    assert Counter(written()) == planned
    assert max(planned.values()) == 1


def test_every_check_says_what_it_claims_and_where_that_stands() -> None:
    planned = report.checks(RandomSource.fixed(1))
    assert all(each.claim and each.source and each.part for each in planned)


def test_the_sampler_runs_only_where_it_may() -> None:
    quiet, full = report.checks(), report.checks(RandomSource.fixed(1))
    assert full[: len(quiet)] != ()
    assert {each.part for each in full} - {each.part for each in quiet} == {
        "Real runs, counted",
        "Real runs of mutants, which must be caught",
    }


@pytest.mark.parametrize(("worst", "said"), [(2.0, 2.0), (float("inf"), None)])
def test_one_failure_fails_the_whole(worst: float, said: float | None) -> None:
    well = Check("part", "well", "claim", "source", lambda _: Measured(1, 0.5))
    ill = Check("part", "ill", "claim", "source", lambda _: Measured(3, worst, "here"))
    figures = report.as_dict(report.findings((well, ill), TINY), TINY)
    assert not figures["passed"]
    assert [row["verdict"] for row in figures["checks"]] == ["holds", "broken"]
    assert figures["checks"][1]["worst"] == said
    assert figures["checks"][1]["worst_case"] == "here"


def test_the_audit_needs_no_test_and_touches_no_record() -> None:
    frame = Path(engine.audit.__path__[0])
    brought = frame.parent.glob("mechanisms/*/audit/*.py")
    for path in (*frame.glob("*.py"), *brought):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith(("tests", "sample_data", "dashboard"))
