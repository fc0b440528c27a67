from __future__ import annotations

import ast
import importlib
import inspect
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest

import understudy.assurance
from understudy.assurance import (
    composition,
    imputation,
    latent,
    method_audits,
    model_queries,
    mutants,
    plausible_traces,
    pmse,
    reading,
    report,
    seedbased,
)
from understudy.assurance.finding import Check, Effort, Measured
from understudy.assurance.seedbased import one_attempt, whole_runs
from understudy.privacy.randomness import RandomSource

PLACE = understudy.assurance.__path__
TINY = Effort(0.02)


Named = tuple[str, str, str]


# Put to the test with more effort beside what they are about, which takes all of their time here.
TRIED_ALONE = (
    (
        (*reading.list_checks(), *mutants.list_reading_mutants()),
        pytest.mark.thorough("engine/assurance/test_reading.py::test_every_claim_holds"),
    ),
    (
        model_queries.list_calibrated_checks(),
        pytest.mark.thorough("engine/assurance/test_calibrated.py::test_every_claim_holds"),
    ),
    (
        mutants.list_learning_mutants(),
        pytest.mark.thorough("engine/assurance/test_mutants.py::test_mutants_are_caught"),
    ),
    (
        one_attempt.list_checks(),
        pytest.mark.thorough("engine/assurance/seedbased/test_one_attempt.py::test_one_attempt"),
    ),
    (
        whole_runs.list_checks(),
        pytest.mark.thorough("engine/assurance/seedbased/test_whole_runs.py::test_whole_runs"),
    ),
    (
        seedbased.AUDIT.mutants(),
        pytest.mark.thorough("engine/assurance/seedbased/test_mutants.py::test_mutants_are_caught"),
    ),
    (
        (*imputation.AUDIT.claims(), *imputation.AUDIT.mutants()),
        pytest.mark.thorough(
            "engine/assurance/imputation/test_audit.py::test_each_is_found_as_it_has_to_be"
        ),
    ),
    (
        (*latent.AUDIT.claims(), *latent.AUDIT.mutants()),
        pytest.mark.thorough("engine/assurance/latent/test_moments.py::test_mutants_are_caught"),
    ),
    (
        (*pmse.AUDIT.claims(), *pmse.AUDIT.mutants()),
        pytest.mark.thorough(
            "engine/assurance/pmse/test_audit.py::test_claims_hold_and_mutants_are_caught"
        ),
    ),
    (
        (*plausible_traces.AUDIT.claims(), *plausible_traces.AUDIT.mutants()),
        pytest.mark.thorough(
            "engine/assurance/plausible_traces/test_plausible_audit.py"
            "::test_claims_hold_and_mutants_are_caught"
        ),
    ),
    (
        (*method_audits.run_checks(), *method_audits.run_mutants()),
        pytest.mark.thorough(
            "engine/assurance/test_real_runs.py"
            "::test_runs_keep_to_their_guarantee_and_breaks_are_noticed"
        ),
    ),
)


def _planned() -> Iterator[Any]:
    """Every check of the audit, and of each whether it is left to a test of its own."""
    alone = {named(each): mark for found, mark in TRIED_ALONE for each in found}
    for each in report.list_checks():
        marks = [alone[named(each)]] if named(each) in alone else []
        yield pytest.param(each, marks=marks, id=f"{each.part}, {each.name}")


def named(check: Check) -> Named:
    return check.part, check.name, check.kind


@pytest.mark.parametrize("check", [*_planned()])
def test_the_audit_is_well_at_little_effort(check: Check) -> None:
    figures = report.as_dict(report.findings((check,), TINY), TINY)
    (row,) = figures["checks"]
    assert figures["passed"], row
    assert figures["cases"] == row["cases"] > 0
    json.dumps(figures, allow_nan=False)


def test_the_cases_of_an_audit_are_those_of_all_its_checks() -> None:
    figures = report.as_dict(report.findings(composition.list_checks(), TINY), TINY)
    assert [row["name"] for row in figures["checks"]] == [
        each.name for each in composition.list_checks()
    ]
    assert figures["cases"] == sum(row["cases"] for row in figures["checks"])


def written() -> Iterator[Named]:
    """What every function gives that gives checks, in every module of the audit and of methods'."""
    ours = [each.name for each in walk_packages(PLACE, "understudy.assurance.")]
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
    planned = Counter(map(named, report.list_checks(RandomSource.fixed(1))))
    assert Counter(written()) == planned
    assert max(planned.values()) == 1


def test_every_check_says_what_it_claims_and_where_that_stands() -> None:
    planned = report.list_checks(RandomSource.fixed(1))
    assert all(each.claim and each.source and each.part for each in planned)


def test_the_sampler_runs_only_where_it_may() -> None:
    quiet, full = report.list_checks(), report.list_checks(RandomSource.fixed(1))
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
    for path in Path(PLACE[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith(
                    ("tests", "understudy.samples", "understudy_dashboard")
                )
