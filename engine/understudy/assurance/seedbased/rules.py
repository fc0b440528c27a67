"""Attempts under rules: exact laws of small universes under random rules, and ways to keep rules
that break the promise.

The mutants are written out: a law of candidates, the likelihoods that are scored in its place, and
what becomes of candidates that break a rule.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import product
from typing import Final

import numpy as np

from understudy.assurance import attempt
from understudy.assurance.attempt import Pairs, pairs, shipped_scores, worst
from understudy.assurance.check import GUARANTEE, Check, Effort, MeasuredValue
from understudy.assurance.random_inputs import RandomInputs, small_columns
from understudy.assurance.seedbased.one_attempt import (
    EPSILON,
    KINDS,
    NAMES,
    attempt_chances,
    kept_pairs,
    list_records,
    list_valid,
    network,
    small_test,
)
from understudy.core.arrays import FloatArray
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.categorical import ConditionalTable
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import TestKind
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema

_PART: Final = "Attempts under rules"
_SIZES: Final = (2, 3, 2)
_NETWORKS: Final = 16
_OMEGAS: Final = (
    Omega(low=1, high=2),
    Omega(low=1, high=3),
    Omega(low=2, high=2),
    Omega(low=1, high=2, reading="announced"),
)


@lru_cache(maxsize=4)
def ruled_universes(kind: TestKind, effort: Effort) -> tuple[Pairs, ...]:
    """Return random networks under random rules, with tables and tests, under every reading of ω;
    of some tables a record breaks a rule."""
    draw = RandomInputs(effort.seed + 12)
    tried: list[Pairs] = []
    for turn in range(effort.of(_NETWORKS)):
        for omega in _OMEGAS:
            test, model = (
                draw.test(kind),
                network(draw, draw.ruled_schema(small_columns(_SIZES))),
            )
            table, valid = draw.table(int(np.prod(_SIZES)), test.k), list_valid(model.schema)
            if turn % 2 == 0:
                table = np.where(valid, table, 0)
                table[np.flatnonzero(valid)[0]] += test.k
            tried += kept_pairs(test, model, omega, table)
    return tuple(tried)


def list_checks() -> tuple[Check, ...]:
    """Return what one attempt promises under rules, with rejections seen and without."""
    return tuple(check for kind in KINDS for check in _of_test(kind))


def _of_test(kind: TestKind) -> Iterator[Check]:
    ratios = (
        ("rejections left aside", attempt.with_seeds),
        ("rejections seen", attempt.rejections_seen),
        ("one released record", attempt.released_slot),
    )
    for what, ratio in ratios:
        yield Check(
            _PART,
            f"{NAMES[kind]}, {what}",
            f"as without rules: ε = {EPSILON[kind]}, and its δ; masks look at a candidate's own "
            "columns alone, and what breaks a rule comes to nothing",
            GUARANTEE,
            partial(_measure, kind, ratio),
        )


def _measure(kind: TestKind, ratio: Callable[[Pairs], FloatArray], effort: Effort) -> MeasuredValue:
    return worst(ruled_universes(kind, effort), ratio)


def drop_after_the_test(kind: TestKind) -> Pairs:
    """Return attempts whose candidates pass a test and are dropped if they break a rule, with no
    attempt counted where one was: most candidates of the seeds that there are do."""
    law = np.array([[0.001, 0.0, 0.999], [0.0, 1.0, 0.0]])
    found = pairs(small_test(kind, 8, 1.0), law, [12, 0], added=[0, 1], name="two kinds of seeds")
    counted = 1 - found.released[:, 2]
    released = found.released[:, :2] / counted[:, None]
    return replace(found, released=released, rejected=found.rejected / counted)


def _network(second: Sequence[float], third: Sequence[float], rule: str) -> BayesianNetwork:
    """Return three columns by themselves under a rule, the first of one value."""
    laws = ((1.0, 0.0), second, third)
    tables = (ConditionalTable.from_probabilities(np.array([law])) for law in laws)
    schema = Schema(columns=small_columns(_SIZES), rules=(Rule(text=rule),))
    return BayesianNetwork(schema, Structure.independent(len(laws)), tuple(tables))


def _attempts(
    model: BayesianNetwork, law: FloatArray, claimed: FloatArray, kind: TestKind, name: str
) -> Pairs:
    """Return attempts on equal records that share the first column with one more, which is like
    none of them in the second; ω is hidden."""
    universe = list_records(_SIZES)
    seeds, more = ((universe == each).all(axis=1).astype(int) for each in ((0, 1, 0), (0, 0, 0)))
    test = small_test(kind, 3, 3.0, 32.0)
    found = pairs(
        test, law, 20 * seeds, added=more, name=name,
        scores=lambda test, _, tables: shipped_scores(test, claimed, tables),
    )  # fmt: skip
    shares = found.tables / found.tables.sum(axis=1, keepdims=True)
    nothing = shares @ np.maximum(1 - law.sum(axis=1), 0)
    return replace(found, rejected=found.rejected + nothing)


def score_by_masks(kind: TestKind) -> Pairs:
    """Return attempts that drop what breaks a rule, and whose scores are those of masked draws.

    The third value of the second column is nearly always drawn, and left out: divided by what is
    left, the other seeds are nearly as likely as the one more, and are not."""
    ruled = _network((1e-4, 1e-4, 1 - 2e-4), (0.9, 0.1), 'if (c0 == "0") c1 %in% c("0", "1")')
    plain = replace(ruled, schema=ruled.schema.with_rules(()))
    law = attempt_chances(plain, (1, 2)).mean(axis=0) * list_valid(ruled.schema)
    claimed = attempt_chances(ruled, (1, 2)).mean(axis=0)
    return _attempts(ruled, law, claimed, kind, "scores of masked draws")


def estimate_divisors(kind: TestKind) -> Pairs:
    """Return attempts that propose until no rule is broken, and divide the chance of a candidate by
    the share of two proposals that break none, in the place of its chance.

    What the one more seed keeps hardly ever leads to a valid record, which no few proposals
    tell."""
    ruled = _network((0.5, 0.5, 0.0), (1e-4, 1 - 1e-4), 'if (c1 == "0") c2 == "0"')
    plain = replace(ruled, schema=ruled.schema.with_rules(()))
    proposed = attempt_chances(plain, (1, 2)) * list_valid(ruled.schema)
    wholes = proposed.sum(axis=2, keepdims=True)
    law = np.divide(proposed, wholes, out=np.zeros_like(proposed), where=wholes > 0).mean(axis=0)
    found: list[Pairs] = []
    for hits in product(range(3), repeat=2):
        shares = (np.array(hits) + 1) / 4
        claimed = (proposed / shares[:, None, None]).mean(axis=0)
        found.append(_attempts(ruled, law, claimed, kind, "estimated divisors"))
    # The first record of the universe is the one more, whose prefixes come to such shares.
    one, other = (
        [math.comb(2, hit) * chance**hit * (1 - chance) ** (2 - hit) for hit in range(3)]
        for chance in wholes[:, 0, 0].tolist()
    )
    weights = np.outer(one, other).ravel()
    return replace(
        found[0],
        released=np.tensordot(weights, [each.released for each in found], 1),
        rejected=np.tensordot(weights, [each.rejected for each in found], 1),
    )


def look_at_the_seed(kind: TestKind) -> Pairs:
    """Return attempts that keep the first column and count who shares it, and whose mask on the
    second goes by what the seed has in the third, which is not kept."""
    universe = list_records((2, 2, 2))
    own = universe[:, None]
    # The second is 1 if the third is: here that of the seed, and later that of the candidate.
    second = np.where(own[..., 2] == 1, universe[:, 1] == 1, 0.5)
    third = np.where(universe[:, 1] == 0, universe[:, 2] == 0, 0.5)
    shared = (own[..., 0] == universe[:, 0]).astype(np.float64)
    test = small_test(kind, 8, 1.0)
    table = np.where((universe == (0, 1, 1)).all(axis=1), 12, 0)
    added = (universe == (0, 0, 0)).all(axis=1).astype(np.int64)
    counting = lambda test, _, tables: shipped_scores(test, shared, tables)  # noqa: E731
    return pairs(
        test, shared * second * third, table, added=added, equal_likelihood=True, scores=counting,
        name="a mask that looks at the seed",
    )  # fmt: skip


def list_mutants() -> tuple[Check, ...]:
    """Return attempts that keep rules, and break the promise."""
    return tuple(check for kind in KINDS for check in _mutants(kind))


def _mutants(kind: TestKind) -> Iterator[Check]:
    yield Check.mutant(
        f"{NAMES[kind]}, dropped after the test",
        "what breaks a rule is dropped once it has passed, and its attempt is not counted",
        lambda _: worst([drop_after_the_test(kind)], attempt.with_seeds),
    )
    yield Check.mutant(
        f"{NAMES[kind]}, scores of masked draws",
        "ω hidden: what breaks a rule comes to nothing, and scores are as if it were masked",
        lambda _: worst([score_by_masks(kind)], attempt.with_seeds),
    )
    yield Check.mutant(
        f"{NAMES[kind]}, estimated divisors",
        "ω hidden: proposed until valid, and divided by the share of a few proposals",
        lambda _: worst([estimate_divisors(kind)], attempt.with_seeds),
    )
    yield Check.mutant(
        f"{NAMES[kind]}, a mask that looks at the seed",
        "what is left of a column goes by what the seed has in one that is not kept",
        lambda _: worst([look_at_the_seed(kind)], attempt.with_seeds),
    )
