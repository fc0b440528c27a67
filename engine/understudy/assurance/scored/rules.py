"""Candidates that redraw each attribute by its own coin, under rules: every law written out from
the chances of their outcomes, and scored as a run scores them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import product
from typing import Final

import numpy as np

from understudy.assurance import attempt
from understudy.assurance.attempt import Pairs, Scores, pairs, shipped_scores, worst
from understudy.assurance.check import GUARANTEE, Check, Effort, MeasuredValue
from understudy.assurance.random_inputs import RandomInputs, small_columns
from understudy.core.arrays import BoolArray, CodeArray, FloatArray, IntArray
from understudy.models.bayesnet.redrawn import Redrawn
from understudy.models.categorical import WHOLE, integer_weights
from understudy.privacy.plausibility.privacy_test import PrivacyTest, TestKind, privacy_test
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema

_PART: Final = "Candidates under rules"
_KINDS: Final[dict[TestKind, str]] = {
    "plausible-deniability": "plausible deniability",
    "relative-sensitivity": "relative sensitivity",
}
_SIZES: Final = (2, 3, 2)
_UNIVERSE: Final = np.array(list(product(*map(range, _SIZES))), dtype=np.uint16)
_MODELS: Final = 24


def _list_valid(schema: Schema) -> BoolArray:
    """Return (U,) which records meet the rules, one rule after another."""
    found = np.ones(len(_UNIVERSE), dtype=bool)
    for rule in schema.rules:
        relation = rule.relation(schema)
        found &= relation.allowed[tuple(_UNIVERSE[:, place] for place in relation.columns)]
    return found


def write_law(model: Redrawn, schema: Schema) -> FloatArray:
    """Return (U, U) how likely each record makes another, outcome by outcome: of “kept” and
    “redrawn as v”, those whose value some valid record goes on with."""
    valid = _UNIVERSE[_list_valid(schema)]
    law = np.zeros((len(_UNIVERSE), len(_UNIVERSE)))
    for (row, seed), (column, made) in product(enumerate(_UNIVERSE), enumerate(_UNIVERSE)):
        law[row, column] = np.prod(list(_factors(model, valid, seed, made)))
    return law


def _factors(model: Redrawn, valid: CodeArray, seed: CodeArray, made: CodeArray) -> Iterator[float]:
    for at, place in enumerate(model.order):
        earlier = list(model.order[:at])
        going_on = valid[(valid[:, earlier] == made[earlier]).all(axis=1), place]
        chances = model.chances[place]
        outcomes = {int(value): int(chances[value]) for value in going_on}
        if seed[place] in outcomes:
            outcomes[int(seed[place])] += int(chances[-1])
        yield outcomes.get(int(made[place]), 0) / sum(outcomes.values()) if outcomes else 0.0


@lru_cache(maxsize=4)
def _universes(kind: TestKind, effort: Effort) -> tuple[Pairs, ...]:
    draw = RandomInputs(effort.seed + 29)
    found = []
    for _ in range(effort.of(_MODELS)):
        schema, test = draw.ruled_schema(small_columns(_SIZES)), draw.test(kind)
        weights = [integer_weights(draw.distributions(1, size))[0] for size in _SIZES]
        plain = Redrawn.of_weights(weights, draw.one_of((0.05, 0.3, 0.8)))
        model = Redrawn.under_rules(plain.chances, schema.relations)
        claimed = _score(model)
        table = draw.table(len(_UNIVERSE), test.k)
        found.append(
            pairs(
                test, write_law(model, schema), table, name=f"redrawn, {len(schema.rules)} rules",
                scores=_score_by(claimed),
            )
        )  # fmt: skip
    return tuple(found)


def _score(model: Redrawn) -> FloatArray:
    """Return (U, U) the likelihoods that are scored."""
    return np.asarray(np.exp(model.log_likelihood(_UNIVERSE, _UNIVERSE)))


def _score_by(claimed: FloatArray) -> Scores:
    """Return the test's scores, by these likelihoods."""

    def score(test: PrivacyTest, _: FloatArray, tables: IntArray) -> IntArray:
        return shipped_scores(test, claimed, tables)

    return score


def list_checks() -> tuple[Check, ...]:
    """Return what one attempt promises, with rejections seen and without."""
    return tuple(
        Check(
            _PART,
            f"{name}, {what}",
            "the statement for one attempt where n is known; what is kept of a seed and redrawn "
            "leads to no record that breaks a rule",
            GUARANTEE,
            partial(_measure, kind, ratio),
        )
        for kind, name in _KINDS.items()
        for what, ratio in (
            ("a redrawn candidate", attempt.with_seeds),
            ("with rejections seen", attempt.rejections_seen),
        )
    )


def _measure(kind: TestKind, ratio: Callable[[Pairs], FloatArray], effort: Effort) -> MeasuredValue:
    return worst(_universes(kind, effort), ratio)


def score_without_masks(kind: TestKind) -> Pairs:
    """Return attempts that draw by masks and score as if there were none.

    One more record has a value that the rule leaves nobody with its candidate's first value; it
    has to redraw, as the one value that is left. Others nearly always keep theirs."""
    rule = Rule(text='if (c0 == "0") c1 %in% c("0", "1")')
    schema = Schema(columns=small_columns(_SIZES), rules=(rule,))
    chances = [np.full(size, 1 << 26) for size in _SIZES]
    chances[0] = np.array([1 << 46, 1 << 26])
    whole = tuple(np.append(each, WHOLE - each.sum()) for each in chances)
    model = Redrawn.under_rules(whole, schema.relations)
    claimed = _score(Redrawn(whole))
    seeds, more = (
        np.all(each == _UNIVERSE, axis=1).astype(np.int64) for each in ((0, 0, 0), (1, 2, 0))
    )
    test = privacy_test(kind, 3, 3.0, 32.0 if kind == "plausible-deniability" else None)
    return pairs(
        test, write_law(model, schema), 20 * seeds, added=more, name="scores without masks",
        scores=_score_by(claimed),
    )  # fmt: skip


def _measure_unmasked(kind: TestKind, _: Effort) -> MeasuredValue:
    return worst([score_without_masks(kind)], attempt.with_seeds)


def list_mutants() -> tuple[Check, ...]:
    """Return candidates that are drawn under rules and scored without them."""
    return tuple(
        Check.mutant(
            f"{name}, candidates scored without masks",
            "drawn by masks, and scored as if no rule put one on them",
            partial(_measure_unmasked, kind),
        )
        for kind, name in _KINDS.items()
    )
