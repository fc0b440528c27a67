"""Attempts under rules, in a universe whose figures were computed in fractions elsewhere."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from understudy.assurance.attempt import Pairs, rejections_seen, shipped_scores, with_seeds
from understudy.assurance.check import Effort
from understudy.assurance.divergence import hockey_stick
from understudy.assurance.random_inputs import RandomInputs, small_columns
from understudy.assurance.seedbased import rules
from understudy.assurance.seedbased.one_attempt import (
    attempt_chances,
    kept_pairs,
    list_records,
    list_valid,
)
from understudy.mechanisms.seedbased.attempts import Decision, Synthesizer
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.categorical import ConditionalTable
from understudy.models.omega import Omega
from understudy.privacy.accounting.unit import pass_cap
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity
from understudy.privacy.randomness import RandomSource
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema

SCHEMA = Schema(
    columns=tuple(
        Column(name=name, domain=Grid(minimum=Decimal(0), maximum=Decimal(most)))
        for name, most in (("a", 1), ("b", 2), ("c", 2))
    ),
    rules=(Rule(text="c <= b"), Rule(text="if (a == 0) b <= 1")),
)
TABLES = ([[1, 3]], [[2, 1, 1], [1, 3, 4]], [[2, 1, 1], [1, 2, 1], [1, 1, 6]])
NETWORK = BayesianNetwork(
    SCHEMA,
    Structure.of([(), (0,), (1,)]),
    tuple(ConditionalTable.from_probabilities(np.array(each, dtype=float)) for each in TABLES),
)
RECORDS = list_records((2, 3, 3))
TABLE = np.zeros(len(RECORDS), dtype=np.int64)
for record, many in (((1, 2, 1), 6), ((1, 2, 2), 5), ((1, 1, 0), 4), ((0, 1, 1), 3)):
    TABLE[np.ravel_multi_index(record, (2, 3, 3))] = many
TEST = RelativeSensitivity(k=6, epsilon0=math.log(2))
T, EPSILON = 2, math.log(2) + math.log(1.5)
HIDDEN = Omega(low=1, high=2)
CANDIDATE = int(np.ravel_multi_index((1, 2, 1), (2, 3, 3)))


def attempts(omega: Omega) -> Pairs:
    """Return the laws of an attempt on the table, and with each valid record more."""
    added = np.eye(len(RECORDS), dtype=np.int64)[list_valid(SCHEMA)]
    (found,) = kept_pairs(TEST, NETWORK, omega, TABLE, added)
    return found


def test_nine_of_eighteen_records_are_possible() -> None:
    assert (len(RECORDS), list_valid(SCHEMA).sum()) == (18, 9)


HALF = Fraction(1, 2)
"""e^−ε0."""


def passes(score: int, k: int = 6) -> Fraction:
    """Return how likely a score of k or more passes."""
    return 1 - HALF ** (score - k + 1) / (1 + HALF)


@pytest.mark.parametrize(
    ("omega", "expected"),
    [
        # Eleven seeds share two columns, and are three times as likely as the four that share one.
        (HIDDEN, (Fraction(11 * 3, 18 * 32) + Fraction(4, 18 * 32)) * passes(10 + 4 // 3)),
        (Omega(low=1, high=1), Fraction(11, 18 * 8) * passes(10)),
        (Omega(low=2, high=2), Fraction(15, 18 * 16) * passes(14)),
    ],
    ids=["hidden", "two kept", "one kept"],
)
def test_how_likely_a_candidate_is_released(omega: Omega, expected: Fraction) -> None:
    assert attempts(omega).released[0, CANDIDATE] == pytest.approx(float(expected), rel=1e-12)


def reference_laws(omegas: tuple[Omega, ...], tables: np.ndarray) -> np.ndarray:
    """Return (tables, ω, candidates) how likely attempts of one of these ω are released, where a
    seed d scores ⌊Σ_s min(p_s(y), p_d(y))/p_d(y)⌋ by likelihoods of the engine, itself included."""
    found = np.zeros((len(tables), len(omegas), len(RECORDS)))
    for at, omega in enumerate(omegas):
        model = KeptAttributes(NETWORK, omega)
        likely = np.exp(model.log_likelihood(RECORDS, RECORDS))
        likely[~list_valid(SCHEMA)] = 0
        least = np.minimum(likely[:, None], likely)
        with np.errstate(divide="ignore", invalid="ignore"):
            weights = np.nan_to_num(least / likely[:, None])
        for row, table in enumerate(tables):
            scores = np.floor(np.einsum("s,dsy->dy", table, weights) + 1e-9).astype(np.int64)
            passing = np.array([each / 2**128 for each in map(TEST.coin.threshold, range(40))])
            made = table[:, None] / table.sum() * likely / len(omegas)
            found[row, at] = (made * passing[scores]).sum(axis=0)
    return found


ANNOUNCED = (Omega(low=1, high=1), Omega(low=2, high=2))


def test_the_figures_of_the_reference() -> None:
    (hidden,), (announced, _) = (
        reference_laws(omegas, TABLE[None])[0, :, CANDIDATE] for omegas in ((HIDDEN,), ANNOUNCED)
    )
    assert hidden == pytest.approx(14141 / 221184, rel=1e-12)
    assert announced == pytest.approx(1045 / 27648, rel=1e-12)


@pytest.mark.parametrize(
    ("omegas", "expected"), [((HIDDEN,), 0.0), (ANNOUNCED, 0.000534)], ids=["hidden", "announced"]
)
def test_how_far_neighbours_are_apart(omegas: tuple[Omega, ...], expected: float) -> None:
    rho = pass_cap(EPSILON, 18, epsilon0=math.log(2))
    assert rho == pytest.approx(1 / 39)
    added = np.eye(len(RECORDS), dtype=np.int64)[list_valid(SCHEMA)]
    tables = np.vstack([TABLE, TABLE + added])
    laws = (1 - rho) * reference_laws(omegas, tables)
    outcomes = np.concatenate([laws, 1 / len(omegas) - laws.sum(axis=2, keepdims=True)], axis=2)
    joint = outcomes.reshape(len(tables), -1)
    assert hockey_stick(joint[0], joint[1:], EPSILON).max() == pytest.approx(expected, abs=5e-7)
    for omega in omegas:
        found = attempts(omega)
        claimed = found.unit(known=False).delta(found.t)
        assert claimed[found.t == T] == pytest.approx(1 / 24)
        assert (rejections_seen(found) <= 1).all()


def test_what_is_written_out_is_what_a_run_draws() -> None:
    """Real attempts on the table come out as often as the law says, none breaks a rule."""
    seeds = Records(SCHEMA, np.repeat(RECORDS, TABLE, axis=0))
    made = Synthesizer(KeptAttributes(NETWORK, HIDDEN), seeds)
    decision, count = Decision(TEST, 0.0), 60_000
    candidates = made.propose(0, count, RandomSource.fixed(1))
    released = decision.release_candidates(made.model, candidates, RandomSource.fixed(2))
    found = np.bincount(np.ravel_multi_index(tuple(released.T), (2, 3, 3)), minlength=18) / count
    assert not found[~list_valid(SCHEMA)].any()
    expected = attempts(HIDDEN).released[0]
    np.testing.assert_allclose(found, expected, atol=5 * math.sqrt(0.1 / count))


def test_attempts_of_seeds_that_break_a_rule_come_to_nothing() -> None:
    """The chance of all outcomes together is 1, with rejections; candidates are those of valid
    seeds that share what is kept."""
    table = TABLE.copy()
    table[np.ravel_multi_index((0, 2, 0), (2, 3, 3))] = 4
    (found,) = kept_pairs(TEST, NETWORK, HIDDEN, table)
    assert found.passing + found.rejected == pytest.approx(1)
    assert not found.released[:, ~list_valid(SCHEMA)].any()
    assert (with_seeds(found) <= 1).all()
    chances = attempt_chances(NETWORK, HIDDEN.values)
    dead = np.ravel_multi_index((0, 2, 0), (2, 3, 3))
    assert chances[0, dead].sum() == 0
    assert chances[1, dead].sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "check", [*rules.list_checks(), *rules.list_mutants()], ids=lambda each: each.name
)
def test_each_is_found_as_it_has_to_be(check: rules.Check) -> None:
    found = check.find(Effort(0.3))
    assert found.passed, found


def test_scores_of_unmasked_draws_keep_the_promise() -> None:
    """Where ω is hidden and the sampler masks, the divisor of a shorter prefix is no larger than
    that of a longer one: seeds that share less count for less in unmasked scores than they should,
    and no candidate scores more."""
    draw = RandomInputs(5)
    for _ in range(30):
        ruled = rules.network(draw, draw.ruled_schema(small_columns((2, 3, 2))))
        plain = replace(ruled, schema=ruled.schema.with_rules(()))
        law, claimed = (attempt_chances(each, (1, 2)).mean(axis=0) for each in (ruled, plain))
        valid = list_valid(ruled.schema)
        table = np.where(valid, draw.table(len(valid), 6), 0)
        table[np.flatnonzero(valid)[0]] += 3
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = [
                shipped_scores(TEST, each * valid, table[None])[0][(table > 0)[:, None] & (law > 0)]
                for each in (law, claimed)
            ]
        assert (scores[1] <= scores[0]).all()
