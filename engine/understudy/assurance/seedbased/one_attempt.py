"""Claims about one attempt, rejections ignored and rejections seen, and the attempt with the
kept-attributes model; and the tables and models on which they are checked, toys among them
(Examples 3.1–3.6 and 4.1), with their names in the table of the audit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, product
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from understudy.assurance import attempt
from understudy.assurance.attempt import Pairs, Scores, decide_laws, pairs, scanned_scores, worst
from understudy.assurance.check import GUARANTEE, Check, Effort, MeasuredValue
from understudy.assurance.random_inputs import RandomInputs
from understudy.core.arrays import BoolArray, CodeArray, FloatArray, IntArray
from understudy.mechanisms.seedbased.attempts import Synthesizer
from understudy.models.bayesnet.kept_attributes import KeptAttributes, likelihood_classes
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.categorical import ConditionalTable
from understudy.models.omega import Omega
from understudy.privacy.accounting.published_figures import THEOREM
from understudy.privacy.plausibility.privacy_test import PrivacyTest, TestKind, privacy_test
from understudy.privacy.plausibility.threshold import PassCoin
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.records import Records
from understudy.table.schema import Schema

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


_Number = TypeVar("_Number", np.float64, np.int64)

ATTRIBUTES = 3


def list_records(sizes: Sequence[int]) -> CodeArray:
    """Return (U, m) every record of columns of these sizes, in schema order."""
    return np.array(list(product(*map(range, sizes))), dtype=np.uint16)


UNIVERSE = list_records((2,) * ATTRIBUTES)
"""(8, 3) every record, in schema order."""

OMEGAS = (
    Omega(low=0, high=0),
    Omega(low=1, high=1),
    Omega(low=2, high=2),
    Omega(low=1, high=2, reading="announced"),
    Omega(low=0, high=3, reading="announced"),
    Omega(low=2, high=3, reading="announced"),
    Omega(low=0, high=2),
    Omega(low=1, high=3),
    Omega(low=0, high=3),
)
"""ω fixed, announced and hidden, with the identity and seedless attempts among them."""

NETWORKS = 12
"""How many random networks are usually tried with each ω."""


def three_columns() -> Schema:
    """Return three columns of two categories."""
    return Schema(
        columns=tuple(
            Column(name=f"c{place}", domain=Categories(values=("0", "1")))
            for place in range(ATTRIBUTES)
        )
    )


def network(draw: RandomInputs, schema: Schema | None = None) -> BayesianNetwork:
    """Return random parents, in a random dependency order, and random tables, of a schema of three
    columns; of two categories each, if left out."""
    columns = schema or three_columns()
    sizes = columns.cardinalities.tolist()
    order = [*range(ATTRIBUTES)]
    for place in range(ATTRIBUTES - 1, 0, -1):
        other = draw.whole(0, place)
        order[place], order[other] = order[other], order[place]
    parents: list[tuple[int, ...]] = [()] * ATTRIBUTES
    for place, child in enumerate(order):
        parents[child] = tuple(sorted(one for one in order[:place] if draw.whole(0, 2)))
    tables = tuple(
        ConditionalTable.from_probabilities(
            draw.distributions(math.prod(sizes[parent] for parent in each), sizes[child])
        )
        for child, each in enumerate(parents)
    )
    return BayesianNetwork(columns, Structure(tuple(parents), tuple(order)), tables)


@lru_cache(maxsize=4)
def kept_universes(kind: TestKind, effort: Effort) -> tuple[Pairs, ...]:
    """Return random networks, tables and tests under every reading of ω; for an announced one the
    law of each attempt that looks at a seed."""
    draw = RandomInputs(effort.seed + 3)
    tried: list[Pairs] = []
    for _ in range(effort.of(NETWORKS)):
        for omega in OMEGAS:
            test = draw.test(kind)
            tried += kept_pairs(test, network(draw), omega, draw.table(len(UNIVERSE), test.k))
    return tuple(tried)


def kept_pairs(
    test: PrivacyTest, model: BayesianNetwork, omega: Omega, records: npt.ArrayLike,
    added: npt.ArrayLike | None = None,
) -> list[Pairs]:  # fmt: skip
    """Return the laws of one attempt, or of one for each announced ω below m.

    Args:
        test: the privacy test.
        model: the network.
        omega: how many attributes are drawn.
        records: how many records there are of each of the universe, shape (U,); see `list_records`.
        added: what each larger table has more, shape (P, U); one of each if left out.
    """
    first = np.asarray(records, dtype=np.int64)
    more = np.eye(first.size, dtype=np.int64) if added is None else np.atleast_2d(added)
    tables = np.vstack([first, first + more])
    draws = attempt_chances(model, omega.values)
    scores = np.stack([_score_candidates(test, model, omega, table, draws > 0) for table in tables])
    shares = tables / tables.sum(axis=1, keepdims=True)
    ways = [[at] for at in range(len(draws))] if omega.per_attempt else [[*range(len(draws))]]
    found = []
    for each in ways:
        if omega.values[each[0]] == len(model.schema):
            continue
        made = shares[:, None, :, None] * draws[each] / len(each)
        released, rejected = decide_laws(test.coin, _flat(made), _flat(scores[:, each]))
        # An attempt that breaks a rule comes to nothing.
        rejected += np.maximum(1 - made.sum(axis=(1, 2, 3)), 0) if model.schema.rules else 0
        name = f"kept attributes, ω = {omega}{'' if omega.is_fixed else ' ' + omega.reading}"
        name += f", {len(model.schema.rules)} rules" if model.schema.rules else ""
        found.append(Pairs(test, tables, released, rejected, omega.per_attempt, name))
    return found


def _flat(each: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
    """From (D, Ω, S, Y) to (D, Ω·S, Y)."""
    return each.reshape(len(each), -1, each.shape[-1])


def attempt_chances(model: BayesianNetwork, omegas: Sequence[int]) -> FloatArray:
    """Return the probability with which a record makes another at each ω, shape (Ω, U, U); of those
    that break a rule none is made."""
    universe = list_records(model.schema.cardinalities.tolist())
    factors = [_factor(model, attribute, universe) for attribute in model.order]
    chances = np.ones((len(omegas), len(universe), len(universe)))
    for at, omega in enumerate(omegas):
        for place, attribute in enumerate(model.order):
            if place < len(model.order) - omega:
                value = universe[:, attribute]
                chances[at] *= value[:, None] == value
            else:
                chances[at] *= factors[place]
    if model.schema.rules:
        chances *= list_valid(model.schema)
    return chances


def list_valid(schema: Schema) -> BoolArray:
    """Return (U,) which records of the universe meet the rules, one rule after another."""
    universe = list_records(schema.cardinalities.tolist())
    found = np.ones(len(universe), dtype=bool)
    for rule in schema.rules:
        relation = rule.relation(schema)
        found &= relation.allowed[tuple(universe[:, place] for place in relation.columns)]
    return found


def _factor(model: BayesianNetwork, attribute: int, universe: CodeArray) -> FloatArray:
    """Return (U,) the probability of each record's value of an attribute, given those of its
    parents; under rules, among the values with which some valid record goes on."""
    row = np.zeros(len(universe), dtype=np.int64)
    for parent in model.structure.parents[attribute]:
        row = int(model.schema.cardinalities[parent]) * row + universe[:, parent]
    chances = model.tables[attribute].probabilities[row]
    values = universe[:, attribute]
    if model.schema.rules:
        earlier = list(model.order[: model.order.index(attribute)])
        valid = universe[list_valid(model.schema)]
        left = np.zeros(chances.shape, dtype=bool)
        for at, record in enumerate(universe):
            going_on = (valid[:, earlier] == record[earlier]).all(axis=1)
            left[at, valid[going_on, attribute]] = True
        chances = np.where(left, chances, 0)
        chances = np.where(chances.any(axis=1, keepdims=True), chances, left)
        with np.errstate(invalid="ignore"):
            chances = np.nan_to_num(chances / chances.sum(axis=1, keepdims=True))
    return np.asarray(chances[np.arange(len(universe)), values])


def _score_candidates(
    test: PrivacyTest,
    network: BayesianNetwork,
    omega: Omega,
    table: IntArray,
    possible: BoolArray,
) -> IntArray:
    """Return the score of each candidate that each record can make at each ω, shape (Ω, U, U)."""
    universe = list_records(network.schema.cardinalities.tolist())
    records = Records(network.schema, np.repeat(universe, table, axis=0))
    made = Synthesizer(KeptAttributes(network, omega), records)
    order = list(network.order)
    leaf_of = {tuple(each): at for at, each in enumerate(made.index.leaves.codes.tolist())}
    # The index wants its questions sorted by how many attributes were kept: ω downwards.
    at, seed, candidate = np.nonzero(possible & (table > 0)[:, None])
    sorted_ = np.argsort(-at, kind="stable")
    at, seed, candidate = at[sorted_], seed[sorted_], candidate[sorted_]
    may_be_kept = universe[seed][:, order[: made.index.longest]]
    leaves = np.array([leaf_of[tuple(each)] for each in may_be_kept.tolist()], dtype=np.int64)
    kept = len(order) - np.array(omega.values)[at]
    codes = np.ascontiguousarray(universe[candidate][:, order].T)
    scores = np.zeros(possible.shape, dtype=np.int64)
    scores[at, seed, candidate] = (
        test.scores(_count_shared(made, leaves, kept))
        if omega.per_attempt
        else test.scores(
            likelihood_classes(
                made.model,
                made.index.prefix_counts(leaves, codes, kept),
                made.index.take_kept(leaves),
                codes,
            )
        )
    )
    return scores


def _count_shared(made: Synthesizer, leaves: IntArray, kept: IntArray) -> IntArray:
    shared = np.empty_like(leaves)
    for length in np.unique(kept).tolist():
        here = kept == length
        shared[here] = made.index.count_shared(leaves[here], length)
    return shared


_PART = "One attempt, rejections left aside"
_SEEN = "One attempt, rejections seen (protocol “attempts”)"

Ratio = Callable[[Pairs], FloatArray]
Tried = Callable[[TestKind, Effort], Sequence[Pairs]]


def list_checks() -> tuple[Check, ...]:
    """Return both tests as published, and as the product states them."""
    found: list[Check] = []
    for kind in KINDS:
        found += _candidates(kind)
    for kind in KINDS:
        found += _see_laws(kind)
    return (*found, *(_counter_example(kind) for kind in KINDS))


def _candidates(kind: TestKind) -> Iterator[Check]:
    constant, known = f"{CONSTANT[kind]} {TAIL}", f"{CONSTANT[kind]} {TAIL}/(n + 1)"

    def check(what: str, delta: str, ratio: Ratio, tried: Tried, source: str = GUARANTEE) -> Check:
        claim = f"ε = {EPSILON[kind]}, δ = {delta}, for 1 ≤ t < k"
        return Check(_PART, f"{NAMES[kind]}, {what}", claim, source, _measure(kind, ratio, tried))

    yield check("as published", TAIL, attempt.published_delta, universes, THEOREM[kind])
    yield check("noise's own constant", constant, attempt.with_constant, universes)
    yield check("n seeds or more", known, attempt.with_seeds, universes)
    yield check("kept attributes", known, attempt.with_seeds, kept_universes)
    yield check("scored record by record", known, attempt.with_seeds, scan_models)
    if kind == "relative-sensitivity":
        sharper = f"e^−ε0 {known}"
        for what, tried in (("whole scores", universes), ("kept, whole scores", kept_universes)):
            yield check(what, sharper, attempt.with_whole_scores, tried, _SHARPER)


_SHARPER = "sharper than what is stated: a whole score under t is at most t − 1"


def _see_laws(kind: TestKind) -> Iterator[Check]:
    claim = f"ε = {EPSILON[kind]}, δ = {CONSTANT[kind]} {TAIL}/(n + 1), with ρ = 1/((n + 1)e^ε − n)"
    for what, tried in (("any model", universes), ("kept attributes", kept_universes)):
        measure = _measure(kind, attempt.rejections_seen, tried)
        yield Check(_SEEN, f"{NAMES[kind]}, {what}", claim, GUARANTEE, measure)


def _counter_example(kind: TestKind) -> Check:
    return Check(
        _SEEN,
        f"{NAMES[kind]}, as published",
        f"ε = {EPSILON[kind]}, δ = {TAIL}, ⊥ among the outcomes: 400 equal records and one other, "
        "identity model, k = 20, ε0 = 1",
        "the published statement leaves ⊥ out, so this must fail",
        lambda _: worst([giving_away(kind)], attempt.published_with_rejections),
        "counter-example",
    )


def _measure(kind: TestKind, ratio: Ratio, tried: Tried) -> Callable[[Effort], MeasuredValue]:
    return lambda effort: worst(tried(kind, effort), ratio)
