"""Which methods there are, and a plan of any of them. Whatever stands in a plan file: it is
refused in words, or it makes a promise. From what may be spent on a person to a plan that spends
it. Every method's guarantee is for whole people where the schema says whose the records are.
"""

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
from tests.installed_mechanism.noisy_histogram import HistogramPlan
from tests.support import category_schema
from understudy.charts.public import public_pictures
from understudy.core.refusal import Refusal
from understudy.mechanisms import registry
from understudy.mechanisms.companions import companion
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.privacy_unit import TOGETHER, contributes
from understudy.mechanisms.registry import (
    mechanism_of,
    mechanisms,
    method_named,
    opening_plan,
    plan_from_json,
    plan_of,
    plan_run,
)
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.mechanisms.spending import by_budget, follows, list_budgeted, spend
from understudy.mechanisms.statement import ReleasedFile, statement
from understudy.privacy.accounting.guarantee import group_privacy
from understudy.privacy.budget import Neighbours
from understudy.privacy.plausibility.privacy_test import PrivacyTest
from understudy.runs.debit import make_debit, make_spend
from understudy.samples import census
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.dates import Dates
from understudy.table.grid import Grid
from understudy.table.people import People
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema

SCHEMA = category_schema(3, 4)


def taken(kind: str) -> Schema:
    """Columns that a method takes."""
    of_its_own = {
        "traces": town.schema(),
        "plausible-traces": town.schema(),
        "latent": category_schema(2, 2, 2),
    }
    return of_its_own.get(kind, SCHEMA)


@pytest.mark.usefixtures("installed")
def test_every_method_makes_an_opening_plan_that_promises_something_and_is_a_file() -> None:
    assert "noisy-histogram" in mechanisms()
    for kind, mechanism in mechanisms().items():
        schema = taken(kind)
        plan = opening_plan(kind, schema)
        assert plan_run(plan, schema).guarantee.total.bounded, kind
        assert plan_from_json(plan.to_json()) == plan
        assert mechanism.title
        assert mechanism.purpose
        assert mechanism.accepted_columns


@pytest.mark.usefixtures("installed")
def test_the_fields_of_every_method_lead_into_its_plan() -> None:
    for kind, mechanism in mechanisms().items():
        settings = set(opening_plan(kind, taken(kind)).as_dict()) - {"mechanism", "domain"}
        led = {place.path.split(".")[0] for each in mechanism.fields for place in each.places}
        assert settings - set(mechanism.fields.derived) <= led, kind


def test_what_is_given_changes_itself_alone() -> None:
    usual: Any = opening_plan("scored", SCHEMA)
    plan: Any = opening_plan("scored", SCHEMA, {"attempts": 7, "test": {"k": 60}})
    assert (plan.attempts, plan.delta) == (7, usual.delta)
    test: PrivacyTest = plan.test
    assert (test.k, test.epsilon0) == (60, usual.test.epsilon0)


def test_what_is_given_of_another_kind_takes_nothing_over() -> None:
    test = {"kind": "relative-sensitivity", "k": 60, "epsilon0": 1.0}
    plan: Any = opening_plan("scored", SCHEMA, {"test": test})
    assert plan.test.kind == "relative-sensitivity"
    with pytest.raises(Refusal, match="k"):
        opening_plan("scored", SCHEMA, {"test": {"kind": "relative-sensitivity"}})


def test_a_setting_that_is_unknown_is_refused() -> None:
    with pytest.raises(Refusal, match="heat"):
        opening_plan("scored", SCHEMA, {"heat": 1})


def test_a_method_that_is_not_installed_is_refused_by_name() -> None:
    with pytest.raises(Refusal, match="sorcery"):
        method_named("sorcery")


@pytest.mark.usefixtures("installed")
def test_a_schema_that_a_method_cannot_be_used_with_is_refused_before_anything_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = opening_plan("noisy-histogram", SCHEMA)

    def refuse(self: object, schema: Schema) -> None:
        raise Refusal("It takes three columns.", "Bring one more.")

    monkeypatch.setattr(type(method_named("noisy-histogram")), "check_schema", refuse)
    with pytest.raises(Refusal, match="three columns"):
        plan_run(plan, SCHEMA)
    with pytest.raises(Refusal, match="three columns"):
        opening_plan("noisy-histogram", SCHEMA)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"domain": "0" * 64}, "another schema"),
        ({"policies": {"nothing": "refuse"}}, "“nothing”, which is no column"),
    ],
)
def test_no_method_takes_a_plan_that_was_made_for_another_schema(
    changed: dict[str, Any], said: str
) -> None:
    """Nor does one of another package, which need not look at it."""
    for kind in mechanisms():
        schema = taken(kind)
        plan = registry.plan_of(
            {"mechanism": kind, **opening_plan(kind, schema).as_dict(), **changed}
        )
        with pytest.raises(Refusal, match=said) as refused:
            plan_run(plan, schema)
        assert refused.value.field == next(iter(changed)), kind


def test_a_planned_run_carries_its_method() -> None:
    for kind, mechanism in mechanisms().items():
        schema = taken(kind)
        assert plan_run(opening_plan(kind, schema), schema).mechanism is mechanism


def test_an_account_of_another_method_is_handed_to_none() -> None:
    found = plan_run(opening_plan("scored", SCHEMA), SCHEMA)
    with pytest.raises(TypeError, match="another method"):
        found.guarantee.account_as(HistogramPlan)


@pytest.mark.usefixtures("installed")
def test_the_word_of_another_package_is_repeated_as_such() -> None:
    plan = HistogramPlan(domain=SCHEMA.fingerprint, column="c0")
    said = plan_run(plan, SCHEMA).guarantee.scope.assumes[-1]
    assert "not this program's promise" in said
    assert not any(
        "another package" in each
        for each in plan_run(opening_plan("scored", SCHEMA), SCHEMA).guarantee.scope.assumes
    )


def test_a_plan_without_a_tag_is_of_the_first_method_there_was() -> None:
    settings = opening_plan("seedbased", SCHEMA).as_dict()
    assert "mechanism" not in settings
    assert registry.plan_of(settings).kind == "seedbased"


def test_what_a_method_brings_is_found_by_name_and_nothing_else_is() -> None:
    mechanism = method_named("seedbased")
    assert companion(mechanism, "plan").__name__.endswith("seedbased.plan")  # type: ignore[union-attr]
    assert companion(mechanism, "no.such.module") is None
    assert companion(method_named("scored"), "report.papers") is None


_WHOLE = (-1, 0, 1, 2, 3, 10, 50, 51, 1000, 10**6, 10**9, 2**62)
_REAL = (-1.0, 0.0, 5e-324, 1e-300, 1e-30, 1e-9, 1e-4, 0.01, 0.5, 0.9999999, 1.0, 1.5, 20.0, 1e15)
_ODD = ("", "x", None, 3, [], {}, [[]], [[], []])
_PLANS_EACH = 4


def _domain(chance: random.Random) -> Categories | Grid | Continuous | Dates:
    kind = chance.randrange(4)
    if kind == 0:
        values = tuple(f"v{place}" for place in range(chance.choice((1, 2, 3, 12, 41))))
        return Categories(values=values)
    if kind == 1:
        low, steps = chance.choice((0, -(10**12))), chance.choice((0, 1, 20, 1001))
        return Grid(minimum=Decimal(low), maximum=Decimal(low + steps))
    if kind == 2:
        step = chance.choice(("day", "month", "year"))
        return Dates.read({"minimum": "1999-12-30", "maximum": "2003-07-01", "step": step})
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
        ReleasedFile(each.name, "0" * 64, 3 if each.kind == "table" else None)
        for each in made.outputs
    ]
    said = statement(made, files, stained=chance.random() < 0.3)
    json.dumps(said, allow_nan=False)
    json.dumps(make_debit(made).model_dump(mode="json"), allow_nan=False)
    make_spend(made.guarantee)
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


SPENDING_SCHEMA = category_schema(2, 2, 2).declare_public()
_SETTINGS: dict[str, dict[str, Any]] = {
    "imputation": {"records": 20_000, "rows": 100},
    "latent": {"public_records": 20_000},
    "pmse": {"public_records": 200_000},
    "scored": {"public_records": 200_000, "attempts": 10},
}


@pytest.mark.parametrize(
    ("kind", "epsilon", "records"),
    [
        *((kind, epsilon, 1) for kind in _SETTINGS for epsilon in (0.5, 1.7, 5.0)),
        *((kind, 5.0, 3) for kind in ("latent", "pmse", "scored")),
    ],
)
def test_a_plan_spends_what_may_be_spent_on_a_person_and_no_more(
    kind: str, epsilon: float, records: int
) -> None:
    plan = opening_plan(kind, SPENDING_SCHEMA, {**_SETTINGS[kind], "records_per_person": records})
    try:
        found = plan_run(spend(plan, SPENDING_SCHEMA, epsilon), SPENDING_SCHEMA)
    except Refusal:
        # A method may have nothing for so little, and says so; never for one record at much.
        assert records > 1 or epsilon < 1.5
        return
    assert by_budget(kind)
    assert follows(found)
    assert 0.9 * epsilon < found.guarantee.total.epsilon <= epsilon * (1 + 1e-9)
    changed = {name for name, each in found.plan.as_dict().items() if each != plan.as_dict()[name]}
    assert changed <= {name.split(".")[0] for name in list_budgeted(plan)}


@pytest.mark.parametrize("epsilon", [0.0, -1.0, 1e9, float("nan")])
def test_what_is_no_budget_is_refused_beside_it(epsilon: float) -> None:
    with pytest.raises(Refusal) as refused:
        spend(opening_plan("latent", SPENDING_SCHEMA), SPENDING_SCHEMA, epsilon)
    assert refused.value.field == "epsilon"


def test_noise_on_parameters_follows_where_some_records_are_used() -> None:
    given = {"records": 20_000, "used": 5_000, "release": "noised-mode"}
    plan = spend(opening_plan("imputation", SPENDING_SCHEMA, given), SPENDING_SCHEMA, 2.0)
    assert plan_run(plan, SPENDING_SCHEMA).guarantee.total.epsilon == pytest.approx(2.0)


def test_the_less_is_spent_the_more_others_a_row_has_to_be_like() -> None:
    plan = opening_plan("scored", SPENDING_SCHEMA, {"public_records": 200_000})
    (found,) = public_pictures(plan_run(plan, SPENDING_SCHEMA))
    needed = found.table["Needed for each row"]
    assert needed.is_monotonic_decreasing
    at = found.table.set_index("ε").loc[1.0, "Needed for each row"]
    other = spend(plan, SPENDING_SCHEMA, 1.0)
    assert isinstance(other, ScoredPlan)
    assert at == other.test.k
    assert found.figure.to_dict()["layer"]


ALONE = category_schema(2, 2, 2)
OWN = ("seedbased", "scored", "pmse", "imputation", "latent")
"""Methods that make single records, and count on so many of a person."""

OF_PEOPLE = ("traces", "plausible-traces")
"""Methods that count people, and say nothing of single records; see their own tests."""


def keeping(most: int) -> Schema:
    """A schema that keeps so many records of a person."""
    return ALONE.with_people(People(person="who", order="visit", records_at_most=most))


def of(kind: str, schema: Schema, **given: object) -> PlannedRun:
    """The opening plan of a method, with few attempts where it makes some: δ for several records
    together grows by the ε of each."""
    few = {"attempts": 3} if kind in ("seedbased", "scored") else {}
    return plan_run(opening_plan(kind, schema, {**few, **given}), schema)


def test_these_are_all_methods_of_this_program() -> None:
    assert {*OWN, *OF_PEOPLE} == set(mechanisms())


@pytest.mark.parametrize("kind", OWN)
@pytest.mark.parametrize("most", [1, 3])
def test_the_guarantee_is_for_a_person_with_all_that_is_kept(kind: str, most: int) -> None:
    found = of(kind, keeping(most)).guarantee
    assert found.records_per_person == most
    assert found.total == group_privacy(found.record, most)
    assert found.total.bounded
    scope = found.scope
    assert scope.protects.startswith("Each person, however many records they have: ")
    assert "“who” says whose a record is" in scope.protects
    tables = found.neighbours is Neighbours.TABLES
    assert ("whether they are in the table" in scope.protects) == tables
    assert any("calls one person by one name" in each for each in scope.assumes)
    assert contributes(most) not in scope.assumes
    assert TOGETHER not in scope.not_covered


@pytest.mark.parametrize("kind", OWN)
def test_with_one_record_kept_the_figures_are_those_of_a_record(kind: str) -> None:
    found = of(kind, keeping(1)).guarantee
    assert found.total == found.record
    alone = of(kind, ALONE).guarantee
    assert found.total == alone.total
    assert contributes(1) in alone.scope.assumes
    assert "however many" not in alone.scope.protects


@pytest.mark.parametrize("kind", OWN)
def test_a_plan_that_counts_on_fewer_records_of_a_person_is_refused(kind: str) -> None:
    with pytest.raises(Refusal) as refused:
        of(kind, keeping(3), records_per_person=2)
    assert refused.value.field == "records_per_person"
    assert "Set the records per person to 3" in refused.value.remedy


@pytest.mark.parametrize("kind", OWN)
def test_a_plan_may_count_on_more(kind: str) -> None:
    found = of(kind, keeping(3), records_per_person=4).guarantee
    assert found.total == group_privacy(found.record, 4)


@pytest.mark.usefixtures("installed")
def test_a_method_that_promises_for_one_record_is_refused_for_several() -> None:
    assert "Each person, however many" in of("noisy-histogram", keeping(1)).guarantee.scope.protects
    with pytest.raises(Refusal) as refused:
        of("noisy-histogram", keeping(2))
    assert refused.value.field == "people"
    assert "keep 1 of a person" in refused.value.remedy


RULED = ALONE.with_rules([Rule(text='!(c0 == "v0" & c1 == "v1")')])


@pytest.mark.parametrize("kind", OWN)
def test_what_holds_between_tables_of_one_size_is_refused_where_rules_leave_records_out(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were such a method one that keeps rules."""
    monkeypatch.setattr(type(method_named(kind)), "keeps_rules", True)
    if of(kind, ALONE).guarantee.neighbours is Neighbours.REPLACEMENTS:
        with pytest.raises(Refusal) as refused:
            of(kind, RULED)
        assert refused.value.field == "rules"
        assert "the same number of records" in refused.value.problem


def test_the_first_method_takes_rules() -> None:
    assert of("seedbased", RULED).guarantee.total == of("seedbased", ALONE).guarantee.total


@pytest.mark.parametrize("budget", [0.05, 0.3, 0.5])
def test_a_seedless_plan_takes_nearly_all_that_is_left(budget: float) -> None:
    plan, schema = opening_plan("seedbased", census.schema()), census.schema()
    offered = mechanism_of(plan).cheaper(plan, schema, lambda it: it.total.epsilon <= budget)
    spent = plan_run(offered[-1].plan, schema).guarantee.total.epsilon
    assert budget * 0.97 < spent <= budget
