"""Many plans at once, from candidates that are kept: what each would spend, and give.

Nothing is generated. A plan's test weights the candidates of its pool by their chances to pass
(Rao–Blackwell), and what passes is compared with held-out records by these weights. All of it is
internal, and choosing by it is covered by no guarantee.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, Literal, get_args

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.evaluation.measure import Direction
from understudy.evaluation.run_comparison import pareto_front
from understudy.mechanisms.seedbased.evaluation.pool import Pool, Pools
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.models.omega import Omega
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.privacy_test import USUAL_GAMMA, PrivacyTest, privacy_test
from understudy.table.schema import Schema

MOST = 2_000
"""The most plans in a grid."""

ENOUGH = 200
"""Fewer candidates than this, in effect, are too few to say how far what passes is from truth."""

Parameter = Literal["k", "epsilon0", "gamma", "omega", "test", "attempts", "model_epsilon"]
"""What can be varied; "attempts" are records under “releases”."""

Way = tuple[PrivacyTest, float]
"""A test and the pass cap after it."""

Utility = Literal["distance", "excess", "records", "pass_rate"]
"""What settings are weighed by, against their ε: see the attributes of `Point`."""

BETTER: Mapping[Utility, Direction] = {
    "distance": "lower",
    "excess": "lower",
    "records": "higher",
    "pass_rate": "higher",
}

PARAMETERS: tuple[Parameter, ...] = get_args(Parameter)

NO_SCORES = "There are no scores at this ω and this ε of the model."
NO_PROMISE = "Nothing is promised: the test or the model is run without noise."
UNDER_FLOOR = "Fewer candidates pass than the pass floor declares, so the run would stop."


@dataclass(frozen=True)
class SweepGrid:
    """The plans of a sweep.

    Attributes:
        plans: every combination that makes a plan, no two alike.
        refused: how many combinations do not.
        refusal: why the first of those does not; None where all do.
    """

    plans: tuple[Plan, ...]
    refused: int
    refusal: Refusal | None


@dataclass(frozen=True)
class SweepPoint:
    """One plan of a sweep. Internal.

    Attributes:
        plan: it.
        total: what it promises; None where it cannot keep its δ, or promises nothing.
        pass_rate: the expected share of attempts that pass; not a number without scores.
        records: the expected number of released records; exact under “releases”.
        distance: the expected typical distance of what passes from held-out records: the median
            over pairs of columns of the total variation.
        effective: how many equally weighted candidates that distance is worth, (Σw)²/Σw².
        real: the typical distance of so many other real records.
        trouble: why there is no total, no scores or no release; "" where all is well.
    """

    plan: Plan
    total: Budget | None
    pass_rate: float
    records: float
    distance: float
    effective: float
    real: float
    trouble: str

    @property
    def epsilon(self) -> float:
        """ε of the total; not a number without one."""
        return float("nan") if self.total is None else self.total.epsilon

    @property
    def excess(self) -> float:
        """How much farther it is than so many other real records."""
        return self.distance - self.real

    @property
    def enough(self) -> bool:
        """Whether enough candidates pass to say how far they are from the truth."""
        return self.effective >= ENOUGH

    def weigh(self, utility: Utility) -> float:
        """Return the utility that counts; not a number where it cannot be told or nothing is
        released."""
        told = utility in ("records", "pass_rate") or self.enough
        found: float = getattr(self, utility)
        return found if told and not self.trouble else float("nan")


@dataclass(frozen=True)
class Sweep:
    """What came of a grid. Internal.

    Attributes:
        points: one for each plan, in their order.
        candidates: how many candidates each distance starts from.
        real: the typical distance of so many other real records.
        marginals: that of the private marginals.
    """

    points: tuple[SweepPoint, ...]
    candidates: int
    real: float
    marginals: float

    def edge(self, utility: Utility) -> BoolArray:
        """Return (P,) the points that no other beats, of ε and this utility."""
        epsilons = np.array([point.epsilon for point in self.points])
        weighed = np.array([point.weigh(utility) for point in self.points])
        return pareto_front(epsilons, weighed, BETTER[utility])


def value_of(plan: Plan, name: Parameter) -> Any:
    """Return what a plan has for a setting; None for γ where its test has none."""
    match name:
        case "test":
            return plan.test.kind
        case "omega" | "attempts":
            return getattr(plan, name)
        case "model_epsilon":
            return plan.model.epsilon
    return getattr(plan.test, name, None)


def combine_settings(
    plan: Plan, schema: Schema, varied: Mapping[Parameter, Sequence[Any]]
) -> SweepGrid:
    """Return every combination of the values of some settings, the others as in a plan.

    A combination that differs from another only in what its test has no use for, such as γ under
    relative sensitivity, is the same plan and stands there once.

    Args:
        plan: where the other settings come from.
        schema: of the table.
        varied: for each setting its values: `Omega` for "omega", a kind for "test", None for no
            noise where that is possible.

    Raises:
        Refusal: there are too many combinations, or a setting has no value; `field` is a setting.
    """
    _check_size(varied)
    plans: dict[Hashable, Plan] = {}
    refused, first = 0, None
    for values in product(*varied.values()):
        try:
            made = _change_plan(plan, schema, dict(zip(varied, values, strict=True)))
        except Refusal as refusal:
            refused, first = refused + 1, first or refusal
            continue
        plans.setdefault((made.test, made.omega, made.attempts, made.model), made)
    return SweepGrid(tuple(plans.values()), refused, first)


def possible(plan: Plan, schema: Schema, name: Parameter, values: Sequence[Any]) -> tuple[Any, ...]:
    """Return those values of a setting, all others as in a plan, that make a plan that promises
    something.

    Args:
        plan: where the other settings come from.
        schema: of the table.
        name: the setting.
        values: to choose from; of the kinds of `grid`.
    """

    def promises(value: Any) -> bool:
        try:
            changed = _change_plan(plan, schema, {name: value})
        except Refusal:
            return False
        return _make_promise(changed, schema).total is not None

    return tuple(each for each in values if promises(each))


def sweep(plans: Sequence[Plan], schema: Schema, pools: Pools) -> Sweep:
    """Return what each plan promises and what it would give.

    Args:
        plans: made for this schema.
        schema: of the table.
        pools: candidates of that table, for every ω and ε of the model that is to be seen.
    """
    promised = [_make_promise(plan, schema) for plan in plans]
    points: list[SweepPoint | None] = [None] * len(plans)
    for pool, places in _by_pool(plans, pools):
        weighed = _weigh(pool, [(plans[at].test, promised[at].pass_cap) for at in places], pools)
        for at, each in zip(places, weighed, strict=True):
            points[at] = _point(plans[at], promised[at], each)
    most = max((len(pool.sample) for pool in pools.each), default=0)
    return Sweep(
        tuple(
            each or _make_unscored(plan, made)
            for each, plan, made in zip(points, plans, promised, strict=True)
        ),
        most,
        float(pools.references.real_at(np.array([float(most)]))[0]),
        pools.references.marginals,
    )


def _check_size(varied: Mapping[Parameter, Sequence[Any]]) -> None:
    for name, values in varied.items():
        if not values:
            raise Refusal(
                "There is no value to try.", "Give one value or more, such as 50, 100.", field=name
            )
    count = prod(len(values) for values in varied.values())
    if count > MOST:
        raise Refusal(
            f"These make {count:,} combinations, and at most {MOST:,} are tried at once.",
            "Give fewer values, or vary fewer settings.",
            field=max(varied, key=lambda name: len(varied[name])),
        )


def _change_plan(plan: Plan, schema: Schema, values: Mapping[Parameter, Any]) -> Plan:
    """Return the plan with these values; what it then has no use for stays as in the plan."""
    omega: Omega = values.get("omega", plan.omega)
    changed: dict[str, Any] = {"omega": omega}
    if omega.low < len(schema):
        changed["test"] = _test(plan.test, omega, values)
    if "model_epsilon" in values:
        changed["model"] = plan.model.at(values["model_epsilon"])
    if "attempts" in values:
        changed["attempts"] = values["attempts"]
    return plan.change(schema, **changed)


def _test(test: PrivacyTest, omega: Omega, values: Mapping[Parameter, Any]) -> PrivacyTest:
    """Return the test with these values; γ only where plausible seeds are not equally likely."""
    kind = values.get("test", test.kind)
    gamma = getattr(test, "gamma", USUAL_GAMMA)
    if not omega.per_attempt:
        gamma = values.get("gamma", gamma)
    return privacy_test(
        kind,
        values.get("k", test.k),
        values.get("epsilon0", test.epsilon0),
        gamma if kind == "plausible-deniability" else None,
    )


@dataclass(frozen=True)
class _Promised:
    """What a plan promises, as far as a point says it."""

    total: Budget | None
    pass_cap: float
    trouble: str = ""


def _make_promise(plan: Plan, schema: Schema) -> _Promised:
    try:
        made = promise(plan, schema)
    except Refusal as refusal:
        return _Promised(None, 0.0, str(refusal))
    if not made.total.bounded:
        return _Promised(None, made.pass_cap, NO_PROMISE)
    return _Promised(made.total, made.pass_cap)


@dataclass(frozen=True)
class _Weighed:
    """What the candidates of a pool say of one plan; see `Point`."""

    pass_rate: float
    distance: float
    effective: float
    real: float


def _by_pool(plans: Sequence[Plan], pools: Pools) -> Iterable[tuple[Pool, list[int]]]:
    """Return each pool that some plan is of, with the places of those plans."""
    found: dict[int, tuple[Pool, list[int]]] = {}
    for at, plan in enumerate(plans):
        pool = pools.of(plan.model.epsilon, plan.omega)
        if pool is not None:
            found.setdefault(id(pool), (pool, []))[1].append(at)
    return found.values()


def _weigh(pool: Pool, tests: Sequence[Way], pools: Pools) -> list[_Weighed]:
    """Return what a pool says of each test with its pass cap; of equal weights it is worked out
    once."""
    tested = ~pool.sample.untested
    # A cap that meets all candidates alike changes how many pass, and not which.
    alike = bool(tested.all() or not tested.any())
    ways = [(test, 0.0 if alike else cap) for test, cap in tests]
    different = {way: at for at, way in enumerate(dict.fromkeys(ways))}
    weights = _weights(pool, list(different))
    rate, effective = weights.mean(axis=0), _effective(weights)
    distance = pools.held_out.typical(pool.codes, weights)
    real = pools.references.real_at(effective)
    passing = [1 - cap if alike and tested.all() else 1.0 for _, cap in tests]
    return [
        _Weighed(
            *(float(each) for each in (share * rate[at], distance[at], effective[at], real[at]))
        )
        for share, way in zip(passing, ways, strict=True)
        for at in [different[way]]
    ]


def _weights(pool: Pool, ways: Sequence[Way]) -> FloatArray:
    """Return (B, D) the chance of each candidate in each way. Scores depend on the kind of a test
    and on γ alone."""
    scores: dict[Hashable, IntArray] = {}
    columns = []
    for test, cap in ways:
        key = test.kind, test.similarity
        if key not in scores:
            scores[key] = pool.sample.scores(test)
        columns.append(pool.sample.chances(test, cap, scores[key]))
    return np.column_stack(columns)


def _effective(weights: FloatArray) -> FloatArray:
    """Return (D,) how many equal weights each column is worth: (Σw)²/Σw²; 0 for a column of
    zeros."""
    with np.errstate(invalid="ignore"):
        # Scaled first, as the square of a chance of 1e-200 is 0.
        scaled = weights / weights.max(axis=0)
        worth = scaled.sum(axis=0) ** 2 / (scaled**2).sum(axis=0)
    found: FloatArray = np.nan_to_num(worth)
    return found


def _point(plan: Plan, made: _Promised, found: _Weighed) -> SweepPoint:
    records, trouble = found.pass_rate * plan.attempts, made.trouble
    if plan.protocol == "releases":
        records = float(plan.attempts)
        if plan.pass_floor is not None and found.pass_rate < plan.pass_floor:
            records, trouble = 0.0, trouble or UNDER_FLOOR
    return SweepPoint(
        plan,
        made.total,
        found.pass_rate,
        records,
        found.distance,
        found.effective,
        found.real,
        trouble,
    )


def _make_unscored(plan: Plan, made: _Promised) -> SweepPoint:
    missing = float("nan")
    trouble = made.trouble or NO_SCORES
    return SweepPoint(plan, made.total, missing, missing, missing, 0.0, missing, trouble)
