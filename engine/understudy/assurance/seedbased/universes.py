"""The tables and models on which the claims about one attempt are checked, toys among them
(Examples 3.1–3.6 and 4.1), and their names in the audit's table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, product

import numpy as np

from understudy.assurance.attempt import Pairs, Scores, pairs, scanned_scores
from understudy.assurance.check import Effort
from understudy.assurance.random_inputs import RandomInputs
from understudy.core.arrays import FloatArray
from understudy.privacy.plausibility.privacy_test import PrivacyTest, TestKind, privacy_test
from understudy.privacy.plausibility.threshold import PassCoin

NAMES: Mapping[TestKind, str] = {
    "plausible-deniability": "plausible deniability",
    "relative-sensitivity": "relative sensitivity",
}

EPSILON: Mapping[TestKind, str] = {
    "plausible-deniability": "ε0 + ln(1 + γ/t)",
    "relative-sensitivity": "ε0 + ln(1 + 1/t)",
}
"""ε of one attempt."""

CONSTANT: Mapping[TestKind, str] = {
    "plausible-deniability": "½",
    "relative-sensitivity": "1/(1 + e^−ε0)",
}
"""The factor that the law of the noise spares in δ."""

TAIL = "e^(−ε0(k − t))"
"""δ of one attempt as published."""


def hamming(bits: int) -> FloatArray:
    """Uniform over the words with as many ones as the seed (Example 3.2)."""
    weight = np.array([sum(word) for word in product((0, 1), repeat=bits)])
    alike = (weight[:, None] == weight).astype(np.float64)
    return np.asarray(alike / alike.sum(axis=1, keepdims=True))


TOYS: Mapping[str, FloatArray] = {
    "identity": np.eye(4),
    "Hamming": hamming(3),
    "uniform": np.full((4, 4), 1 / 4),
    "mixture": 0.7 * hamming(2) + 0.3 / 4,
    "randomised response": np.full((2, 2), 1 / 6) + np.eye(2) * 2 / 3,
}
"""By name; the seed's own value (3.1), `hamming`, one law for all seeds (3.3), a mixture (3.6),
and a coin that tells the truth in two cases of three (4.1)."""


RANDOM = 3_000
TOY = 40
EQUAL = 200
TWO_MORE = 100
SCANNED = 300
"""How many random universes, tables of each toy model, universes of equal likelihoods, universes
with two records more and universes scored record by record are usually tried."""

KINDS: Sequence[TestKind] = ("plausible-deniability", "relative-sensitivity")


@lru_cache(maxsize=4)
def universes(kind: TestKind, effort: Effort) -> tuple[Pairs, ...]:
    """Return random models, the toy models, models of equal likelihoods, and the steps of the
    coin."""
    return tuple(
        chain(_random(kind, effort), _toys(kind, effort), _equal(kind, effort), steps(kind))
    )


@lru_cache(maxsize=4)
def two_more(kind: TestKind, effort: Effort) -> tuple[Pairs, ...]:
    """Return random models and the identity, the larger tables having any two records more."""
    draw = RandomInputs(effort.seed + 4)
    found = []
    for turn in range(effort.of(TWO_MORE)):
        test, seeds = draw.test(kind), draw.whole(2, 4)
        one = np.eye(seeds, dtype=np.int64)
        model = np.eye(seeds) if turn % 3 == 0 else draw.model(seeds, draw.whole(1, 4))
        added = (one[:, None] + one).reshape(-1, seeds)
        found.append(pairs(test, model, draw.table(seeds, test.k), added=added))
    return tuple(found)


@lru_cache(maxsize=4)
def scan_models(kind: TestKind, effort: Effort) -> tuple[Pairs, ...]:
    """Return random models, scored record by record."""
    draw = RandomInputs(effort.seed + 11)
    found = []
    for _ in range(effort.of(SCANNED)):
        test, seeds = draw.test(kind), draw.whole(1, 4)
        model, table = draw.model(seeds, draw.whole(1, 4)), draw.table(seeds, test.k)
        found.append(pairs(test, model, table, scores=scanned_scores))
    return tuple(found)


def steps(
    kind: TestKind,
    coin: Callable[[PrivacyTest], PassCoin] | None = None,
    scores: Scores | None = None,
) -> Iterator[Pairs]:
    """Yield every number of equal records about the threshold, among others: the identity model.

    Args:
        kind: which test.
        coin, scores: what decides, the test's own unless broken on purpose.
    """
    for k, epsilon0, others in product((2, 3, 4, 8), (0.5, 1.0, 3.0), (0, 1, 8, 50)):
        test = small_test(kind, k, epsilon0)
        for alike in range(max(0, k - others), k + 3):
            yield pairs(
                test,
                np.eye(2),
                [alike, others],
                equal_likelihood=True,
                coin=coin(test) if coin else None,
                scores=scores,
                name="the identity model",
            )


def giving_away(kind: TestKind) -> Pairs:
    """Return 400 equal records and one other, which cannot pass: only a rejection tells of it."""
    return pairs(
        small_test(kind, 20, 1.0), np.eye(2), [400, 0], added=[0, 1], name="the identity model"
    )


def small_test(kind: TestKind, k: int, epsilon0: float, gamma: float = 4.0) -> PrivacyTest:
    """Return a test of either kind; γ only where there is one."""
    return privacy_test(kind, k, epsilon0, gamma if kind == "plausible-deniability" else None)


def _random(kind: TestKind, effort: Effort) -> Iterator[Pairs]:
    draw = RandomInputs(effort.seed)
    for _ in range(effort.of(RANDOM)):
        test, seeds = draw.test(kind), draw.whole(1, 4)
        yield pairs(test, draw.model(seeds, draw.whole(1, 4)), draw.table(seeds, test.k))


def _toys(kind: TestKind, effort: Effort) -> Iterator[Pairs]:
    draw = RandomInputs(effort.seed + 1)
    for name, model in TOYS.items():
        for _ in range(effort.of(TOY)):
            test = draw.test(kind)
            yield pairs(test, model, draw.table(len(model), test.k), name=f"the {name} model")


def _equal(kind: TestKind, effort: Effort) -> Iterator[Pairs]:
    draw = RandomInputs(effort.seed + 2)
    for _ in range(effort.of(EQUAL)):
        test = draw.test(kind)
        yield pairs(
            test, _kept_and_drawn(draw), draw.table(4, test.k),
            equal_likelihood=True, name="a model of equal likelihoods",
        )  # fmt: skip


def _kept_and_drawn(draw: RandomInputs) -> FloatArray:
    """Return some attributes kept, the rest drawn: seeds that keep the same are equally likely."""
    kept, drawn = draw.several(0, 2, 4), draw.distributions(3, 3)
    model = np.zeros((4, 9))
    for seed, prefix in enumerate(kept.tolist()):
        model[seed, 3 * prefix : 3 * prefix + 3] = drawn[prefix]
    return model
