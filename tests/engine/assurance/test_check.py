"""Learning that all methods share, broken on purpose, and what must notice. The checks of training
hold for what is shipped, and catch what is broken.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import math
from collections import Counter
from collections.abc import Iterator
from itertools import chain, combinations, product
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import bdtr, bdtrc

import understudy.assurance
from understudy.assurance import (
    composition,
    imputation,
    latent,
    marks,
    method_audits,
    model_queries,
    mutants,
    plausible_traces,
    pmse,
    reading,
    report,
    seedbased,
    training,
)
from understudy.assurance.check import (
    MARGIN,
    NOTHING,
    Check,
    Effort,
    Kind,
    MeasuredValue,
    Verdict,
)
from understudy.assurance.divergence import (
    at_most,
    bound_below,
    bound_epsilon,
    epsilon_at_least,
    hockey_stick,
    over,
)
from understudy.assurance.imputation.runs import ScriptedSecret
from understudy.assurance.random_inputs import RandomInputs, ScriptedSource
from understudy.assurance.seedbased import one_attempt, whole_runs
from understudy.privacy.randomness import RandomSource


def found(kind: Kind, worst: float, cases: int = 1) -> tuple[Verdict, bool]:
    check = Check("part", "name", "claim", "source", lambda _: MeasuredValue(cases, worst), kind)
    finding = check.find(Effort())
    return finding.verdict, finding.passed


@pytest.mark.parametrize(
    ("kind", "worst", "verdict", "passed"),
    [
        ("claim", 0.0, "holds", True),
        ("claim", 1.0, "holds", True),
        ("claim", 1 + 1e-12, "broken", False),
        ("claim", math.inf, "broken", False),
        ("claim", math.nan, "broken", False),
        ("mutant", MARGIN, "caught", True),
        ("mutant", 1.2, "not caught", False),
        ("mutant", math.nan, "not caught", False),
        ("counter-example", 2.0, "fails, as it must", True),
        ("counter-example", 1.0, "not caught", False),
    ],
)
def test_verdicts(kind: Kind, worst: float, verdict: Verdict, passed: bool) -> None:
    assert found(kind, worst) == (verdict, passed)


def test_a_claim_that_was_not_tried_does_not_hold() -> None:
    assert found("claim", 0.0, cases=0) == ("broken", False)


def test_the_worst_of_several_cases_is_kept_with_where_it_was() -> None:
    total = (
        NOTHING
        | MeasuredValue(2, 0.5, "here")
        | MeasuredValue(3, 0.9, "there")
        | MeasuredValue(1, 0.1)
    )
    assert total == MeasuredValue(6, 0.9, "there")


def test_a_case_without_a_number_is_never_lost() -> None:
    assert math.isnan((MeasuredValue(1, math.nan, "here") | MeasuredValue(1, 0.5)).worst)
    assert math.isnan((MeasuredValue(1, 0.5) | MeasuredValue(1, math.nan, "here")).worst)


def test_effort_scales_and_tries_one_at_least() -> None:
    assert [Effort(times).of(30) for times in (0.001, 0.5, 1, 20)] == [1, 15, 30, 600]


@given(st.integers(1, 400), st.floats(0, 1), st.sampled_from([1e-7, 1e-3, 0.2]))
def test_the_bounds_are_those_of_clopper_and_pearson(
    trials: int, share: float, miss: float
) -> None:
    hits = round(share * trials)
    low, high = bound_below(hits, trials, miss), at_most(hits, trials, miss)
    assert 0 <= low <= hits / trials <= high <= 1
    if hits:
        assert bdtrc(hits - 1, trials, low) == pytest.approx(miss, rel=1e-6)
    if hits < trials:
        assert bdtr(hits, trials, high) == pytest.approx(miss, rel=1e-6)


def test_no_hits_and_nothing_but_hits() -> None:
    assert bound_below(0, 50, 0.01) == 0
    assert at_most(50, 50, 0.01) == 1
    assert at_most(0, 50, 0.01) == pytest.approx(1 - 0.01 ** (1 / 50))


def test_epsilon_from_two_counts() -> None:
    found = epsilon_at_least(5_000, 1_000, 10_000, 0.1, 1e-6)
    assert math.log(0.35 / 0.11) < found < math.log(0.4 / 0.1)
    assert epsilon_at_least(900, 0, 10_000, 0.1, 1e-6) == -math.inf


def sampled(law: np.ndarray, trials: int, draw: RandomInputs) -> np.ndarray:
    drawn = np.searchsorted(np.cumsum(law), draw.uniforms(2, trials))
    return np.stack([np.bincount(half, minlength=len(law)) for half in drawn])


def test_the_bound_stays_under_the_truth_as_often_as_it_says() -> None:
    """The two-sided claim of randomised response is tight, so a sloppy bound would exceed it."""
    draw, truth, over = RandomInputs(3), 1.0, 0
    law = np.array([math.e, 1.0]) / (1 + math.e)
    for _ in range(300):
        one, other = sampled(law, 200, draw), sampled(law[::-1], 200, draw)
        over += bound_epsilon(one, other, 0.0, 0.1) > truth
    assert over < 45


def test_the_bound_comes_close_with_many_trials() -> None:
    draw = RandomInputs(4)
    law = np.array([0.05, 0.15, 0.8])
    other = np.array([0.0, 0.05, 0.95])
    found = bound_epsilon(sampled(law, 200_000, draw), sampled(other, 200_000, draw), 0.06, 1e-6)
    assert 0.9 * math.log(0.14 / 0.05) < found < math.log(0.14 / 0.05)


def test_either_direction_is_found() -> None:
    draw = RandomInputs(5)
    law, other = np.array([0.01, 0.99]), np.array([0.3, 0.7])
    one, two = sampled(law, 20_000, draw), sampled(other, 20_000, draw)
    assert bound_epsilon(one, two, 0.0, 1e-6) == bound_epsilon(two, one, 0.0, 1e-6) > 2.9


def test_nothing_is_said_of_equal_laws() -> None:
    draw = RandomInputs(6)
    law = np.array([0.2, 0.8])
    assert bound_epsilon(sampled(law, 5_000, draw), sampled(law, 5_000, draw), 1e-3, 1e-6) == 0


@given(st.integers(0, 10**6), st.floats(0, 3))
def test_the_hockey_stick_is_the_worst_of_all_events(seed: int, epsilon: float) -> None:
    first, second = RandomInputs(seed).distributions(2, 5)
    events = chain.from_iterable(combinations(range(5), size) for size in range(6))
    worst = max(
        one[list(event)].sum() - math.exp(epsilon) * other[list(event)].sum()
        for event in events
        for one, other in ((first, second), (second, first))
    )
    assert hockey_stick(first, second, epsilon) == pytest.approx(worst, abs=1e-12)


def test_equal_laws_are_not_apart_and_rounding_is_no_difference() -> None:
    law = np.array([0.3, 0.7])
    assert hockey_stick(law, law * (1 + 5e-14), 0.0) == 0
    assert hockey_stick(law, law * (1 + 5e-13), 0.0) > 0


def test_probabilities_far_under_the_rounding_of_others_still_count() -> None:
    first, second = np.array([1.0, 1e-30]), np.array([1.0, 4e-30])
    assert hockey_stick(first, second, math.log(2)) == pytest.approx(2e-30)


def test_many_epsilons_and_neighbours_at_once() -> None:
    first, second, third = RandomInputs(2).distributions(3, 4)
    epsilon = np.array([0.1, 1.0])
    found = hockey_stick(first, np.stack([second, third])[:, None], epsilon)
    assert found.shape == (2, 2)
    assert found[1, 0] == hockey_stick(first, third, 0.1)


def test_a_divergence_over_a_delta() -> None:
    found = over(np.array([0.0, 0.0, 2e-9, 1e-9]), np.array([0.0, 1e-9, 1e-9, 0.0]))
    np.testing.assert_array_equal(found, [0, 0, 2, np.inf])


LESS = Effort(0.2)


@pytest.mark.parametrize("check", marks.list_checks(), ids=lambda each: each.name)
def test_marks_change_no_price(check: Check) -> None:
    found = check.find(LESS)
    assert found.passed, found.measured
    assert found.measured.worst > 0.8


def test_triples_and_both_currencies_are_asked_about() -> None:
    asked = {
        (round_.asked[0].law, len(round_.asked[0].values), len(round_.asked))
        for budget in marks.BUDGETS
        for way in marks._WAYS[:3:2]
        for learner in [marks.shipped_marked(budget, way.importance(marks._COINS), marks._NONE)]
        for round_ in [marks._round(learner, marks._NONE, frozenset({0, 3}))]
    }
    assert {law for law, _, _ in asked} == {"geometric", "Gaussian"}
    assert {scores for _, scores, _ in asked} == {3, 4}
    assert all(questions > 1 for _, _, questions in asked)


@pytest.mark.usefixtures("small_tables")
@pytest.mark.parametrize("check", mutants.list_learning_mutants(), ids=lambda each: each.name)
def test_mutants_are_caught(check: Check) -> None:
    found = check.find(LESS)
    assert found.verdict == "caught", found.measured


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
        pytest.mark.thorough("engine/assurance/test_model_queries.py::test_every_claim_holds"),
    ),
    (
        mutants.list_learning_mutants(),
        pytest.mark.thorough("engine/assurance/test_check.py::test_mutants_are_caught"),
    ),
    (
        one_attempt.list_checks(),
        pytest.mark.thorough("engine/assurance/test_attempt.py::test_one_attempt"),
    ),
    (
        whole_runs.list_checks(),
        pytest.mark.thorough("engine/assurance/seedbased/test_whole_runs.py::test_whole_runs"),
    ),
    (
        seedbased.AUDIT.mutants(),
        pytest.mark.thorough("engine/assurance/seedbased/test_kept.py::test_mutants_are_caught"),
    ),
    (
        (*imputation.AUDIT.claims(), *imputation.AUDIT.mutants()),
        pytest.mark.thorough("engine/assurance/test_audits.py::test_each_is_found_as_it_has_to_be"),
    ),
    (
        (*latent.AUDIT.claims(), *latent.AUDIT.mutants()),
        pytest.mark.thorough("engine/assurance/test_audits.py::test_mutants_are_caught"),
    ),
    (
        (*pmse.AUDIT.claims(), *pmse.AUDIT.mutants()),
        pytest.mark.thorough(
            "engine/assurance/test_audits.py::test_claims_hold_and_mutants_are_caught"
        ),
    ),
    (
        (*plausible_traces.AUDIT.claims(), *plausible_traces.AUDIT.mutants()),
        pytest.mark.thorough(
            "engine/assurance/test_audits.py::test_claims_about_days_hold_and_mutants_are_caught"
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
    figures = report.findings_as_data(report.findings((check,), TINY), TINY)
    (row,) = figures["checks"]
    assert figures["passed"], row
    assert figures["cases"] == row["cases"] > 0
    json.dumps(figures, allow_nan=False)


def test_the_cases_of_an_audit_are_those_of_all_its_checks() -> None:
    figures = report.findings_as_data(report.findings(composition.list_checks(), TINY), TINY)
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
    well = Check("part", "well", "claim", "source", lambda _: MeasuredValue(1, 0.5))
    ill = Check("part", "ill", "claim", "source", lambda _: MeasuredValue(3, worst, "here"))
    figures = report.findings_as_data(report.findings((well, ill), TINY), TINY)
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


_EFFORT = Effort(times=0.5)


@pytest.mark.parametrize("check", training.list_checks(), ids=lambda check: check.name)
def test_claims_hold(check: Check) -> None:
    found = check.find(_EFFORT)
    assert found.verdict == "holds"
    assert found.measured.cases


@pytest.mark.parametrize("check", list(training.list_mutants()), ids=lambda check: check.name)
def test_mutants_are_caught_of_trained(check: Check) -> None:
    assert check.find(_EFFORT).verdict == "caught"


def test_the_checks_come_near_to_what_they_claim() -> None:
    """A record whose slope is cut moves a sum by nearly the whole bound, and one at the bounds of
    codes moves moments by all that is paid for."""
    assert training.measure_move(Effort()).worst > 0.999
    assert training.codes_moved(Effort()).worst > 0.9
    assert training.shares_moved(Effort()).worst > 0.999


def test_words_that_run_over_a_multiple_of_a_bound_give_each_case_as_often() -> None:
    drawn = Counter(
        tuple(ScriptedSource(words).below(3, 2).tolist()) for words in product(range(6), repeat=2)
    )
    assert drawn == dict.fromkeys(product(range(3), repeat=2), 4)


def test_one_use_alone_is_scripted() -> None:
    secret = ScriptedSecret.of("model", [7, 8])
    assert not secret.seeded
    source = secret.source("model")
    source.child()
    assert source.words(2).tolist() == [7, 8]
    with pytest.raises(ValueError, match="more words"):
        source.words(1)
    assert len(set(secret.source("split").words(4).tolist())) == 4
