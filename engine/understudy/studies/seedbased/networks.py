"""The models whose accuracy is compared: without noise, at the published ε, and at a tenth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import MARGINALS
from understudy.mechanisms.seedbased.evaluation.predictors import named
from understudy.mechanisms.seedbased.learning import learn, learn_baseline
from understudy.models.sequential import Sequential
from understudy.privacy.randomness import RandomSource
from understudy.studies.seedbased import published
from understudy.studies.seedbased.setting import plan_of
from understudy.table.split import Shares, Split

EPSILONS: Mapping[str, float | None] = {
    named(each): each for each in (None, published.MODEL_EPSILON, published.MODEL_EPSILON / 10)
}
"""ε of each kind of model, by what it is called (Figure 8.1)."""

UNNOISED: Final = f"{MARGINALS}, without noise"
"""The marginals of Figure 2; those of Figure 1, and of all tables, are private."""
_NUMBER = " #"


def networks_of(
    parts: Split,
    shares: Shares,
    baseline: Sequential,
    each: int,
    source: RandomSource,
) -> dict[str, Sequential]:
    """Return the marginals with noise and without, and of each kind as many models as its noise
    needs.

    Args:
        parts: what to learn from.
        shares: of the records that are in each part.
        baseline: the private marginals.
        each: how many models of a kind that is learned with noise.
        source: where the noise comes from.
    """
    schema = parts.seeds.schema
    exact = learn_baseline(plan_of(schema, shares, None), parts, source)
    learned = {MARGINALS: baseline, UNNOISED: exact}
    for name, epsilon in EPSILONS.items():
        plan = plan_of(schema, shares, epsilon)
        for number in range(1 if epsilon is None else each):
            network = learn(plan, schema, parts, source).network
            learned[f"{name}{_NUMBER}{number + 1}"] = network
    return learned


def by_kind(evaluation: Evaluation, key: str) -> dict[str, dict[str, float]]:
    """Return what a measure found of each kind of model, averaged over its models, by column.

    Empty where it found nothing.
    """
    finding = evaluation.finding(key)
    if finding is None:
        return {}
    grouped: dict[str, dict[str, list[float]]] = {}
    for name, measured in finding.by_subject.items():
        columns = grouped.setdefault(name.partition(_NUMBER)[0], {})
        for part in measured.parts:
            columns.setdefault(part.of[0], []).append(part.value)
    return {
        kind: {column: float(np.mean(values)) for column, values in columns.items()}
        for kind, columns in grouped.items()
    }


def learned_kinds(kinds: Mapping[str, Mapping[str, float]]) -> dict[str, Mapping[str, float]]:
    """Return the kinds of learned models that Figure 1 compares."""
    return {name: each for name, each in kinds.items() if name in EPSILONS}


def compared_with(
    kinds: Mapping[str, Mapping[str, float]], kind: str
) -> dict[str, Mapping[str, float]]:
    """Return one kind of model, then whatever is no kind of model, such as a random guess."""
    first = {kind: kinds[kind]} if kind in kinds else {}
    return first | {name: each for name, each in kinds.items() if name not in EPSILONS}
