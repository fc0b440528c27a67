"""Whatever stands in a plan file: it is refused in words, or it makes a promise."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.models.mobility import town
from understudy.core.refusal import Refusal
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.registry import (
    mechanism_of,
    opening_plan,
    plan_from_json,
    plan_of,
    plan_run,
)
from understudy.mechanisms.statement import Released, statement
from understudy.runs.debit import debit_of, spend_of
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.grid import Grid
from understudy.table.people import People
from understudy.table.schema import Schema

_WHOLE = (-1, 0, 1, 2, 3, 10, 50, 51, 1000, 10**6, 10**9, 2**62)
_REAL = (-1.0, 0.0, 5e-324, 1e-300, 1e-30, 1e-9, 1e-4, 0.01, 0.5, 0.9999999, 1.0, 1.5, 20.0, 1e15)
_ODD = ("", "x", None, 3, [], {}, [[]], [[], []])
_PLANS_EACH = 4


def _domain(chance: random.Random) -> Categories | Grid | Continuous:
    kind = chance.randrange(3)
    if kind == 0:
        values = tuple(f"v{place}" for place in range(chance.choice((1, 2, 3, 12, 41))))
        return Categories(values=values)
    if kind == 1:
        low, steps = chance.choice((0, -(10**12))), chance.choice((0, 1, 20, 1001))
        return Grid(minimum=Decimal(low), maximum=Decimal(low + steps))
    width = Decimal(chance.choice(("0.1", "1", "123456")))
    return Continuous(
        minimum=Decimal(-1), maximum=width - 1, step=width / 5, precision=Decimal("0.01")
    )


def _schema(chance: random.Random) -> Schema:
    columns = [
        Column(name=f"c{place}", domain=_domain(chance), missing=chance.random() < 0.1)
        for place in range(chance.choice((2, 3, 6, 30)))
    ]
    people = People(person="who", order="when", records_at_most=chance.choice((1, 10, 1000)))
    return Schema(columns=tuple(columns), people=people if chance.random() < 0.2 else None)


def _taken(kind: str, chance: random.Random) -> Schema:
    """Columns that a method may take."""
    if kind.endswith("traces"):
        return town.schema()
    found = _schema(chance)
    if kind != "latent":
        return found
    flag = Categories(values=("no", "yes"))
    kept = [
        each.changed(missing=False, domain=flag if each.cardinality < 50 else each.domain)
        for each in found.columns
    ]
    return Schema(columns=tuple(kept), people=found.people)


def _changed(settings: Mapping[str, Any], schema: Schema, chance: random.Random) -> dict[str, Any]:
    """Settings, a few of them exchanged for others of the same kind, as a rule."""
    found = dict(settings)
    for name in chance.sample(list(found), min(len(found), chance.choice((0, 1, 1, 2, 4)))):
        before = found[name]
        if isinstance(before, dict) and before and chance.random() < 0.8:
            found[name] = _changed(before, schema, chance)
        elif name not in ("domain", "mechanism"):
            found[name] = _other(before, schema, chance)
    return found


def _other(before: Any, schema: Schema, chance: random.Random) -> Any:
    some = chance.sample(schema.names, min(len(schema.names), chance.choice((1, 2, 3))))
    if isinstance(before, bool):
        return not before
    if isinstance(before, int | float) and chance.random() < 0.9:
        return chance.choice(_WHOLE if isinstance(before, int) else _REAL)
    if isinstance(before, list) and chance.random() < 0.8:
        return chance.choice((some, [some], [some, []], []))
    if isinstance(before, dict) and chance.random() < 0.8:
        return chance.choice(({some[0]: chance.choice(_REAL)}, {some[0]: some[1:]}, {}))
    return chance.choice((*_ODD, *_WHOLE, *_REAL))


def _promised(plan: MechanismPlan, schema: Schema, chance: random.Random) -> None:
    """All that is asked of a plan before its run."""
    method = mechanism_of(plan)
    assert plan_from_json(plan.to_json()) == plan
    made = plan_run(plan, schema)
    told = method.fields.state_settings(method.fields.values(plan, len(schema)))
    assert [each.name for each in told if not each.value] == []
    files = [
        Released(each.name, "0" * 64, 3 if each.kind == "table" else None) for each in made.outputs
    ]
    said = statement(made, files, stained=chance.random() < 0.3)
    json.dumps(said, allow_nan=False)
    json.dumps(debit_of(made).model_dump(mode="json"), allow_nan=False)
    spend_of(made.guarantee)
    method.cheaper(plan, schema, lambda found: found.total.epsilon < 0.5)
    assert method.steps(plan) >= 1
    assert method.comparable_epsilon(made) > 0


@pytest.mark.parametrize(
    "kind", ["seedbased", "imputation", "pmse", "scored", "latent", "traces", "plausible-traces"]
)
@given(seed=st.integers(0, 2**32))
def test_any_plan_is_refused_in_words_or_makes_a_promise(kind: str, seed: int) -> None:
    chance = random.Random(seed)
    schema = _taken(kind, chance)
    try:
        begun = opening_plan(kind, schema).as_dict()
    except Refusal:
        return
    for _ in range(_PLANS_EACH):
        with suppress(Refusal):
            plan = plan_of(json.loads(json.dumps(_changed(begun, schema, chance))))
            _promised(plan, schema, chance)
