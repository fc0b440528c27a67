"""Methods and rules: whoever does not keep them refuses before anything is spent, and what is
released by the others breaks none."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import check_columns
from understudy.mechanisms.outputs import ResumePoint, Workers
from understudy.mechanisms.registry import mechanisms, opening_plan, plan_run
from understudy.models.third_party.claim import Claim
from understudy.privacy.randomness import Secret
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.missing_codes import MissingCode
from understudy.table.records import Records
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema


def number(name: str, most: int) -> Column:
    """Return a column of whole numbers from 0 on."""
    return Column(name=name, domain=Grid(minimum=Decimal(0), maximum=Decimal(most)))


RULES = ("start <= end", 'if (age < 3) work == "no"', 'is.na(hours) == (work == "no")')
PLAIN = Schema(
    columns=(
        number("age", 9),
        Column(name="work", domain=Categories(values=("no", "yes"))),
        Column(name="hours", domain=Grid(minimum=Decimal(0), maximum=Decimal(4)), missing=True),
        number("start", 5),
        number("end", 5),
    )
).declare_public("-")
SCHEMA = PLAIN.with_rules([Rule(text=text) for text in RULES]).declare_public("-")
KEEPING = ("seedbased", "scored")


def holds(row: Mapping[str, int]) -> bool:
    """Return whether codes meet the rules, by hand."""
    return (
        row["start"] <= row["end"]
        and (row["age"] >= 3 or row["work"] == 0)
        and (row["hours"] == 5) == (row["work"] == 0)
    )


def count_broken(codes: np.ndarray) -> int:
    """Return how many of (n, m) records break a rule."""
    return sum(not holds(dict(zip(SCHEMA.names, row, strict=True))) for row in codes.tolist())


def make_records(count: int) -> Records:
    """Return records, some of which break a rule."""
    rng = np.random.default_rng(3)
    codes = np.column_stack([rng.integers(0, size, 20 * count) for size in SCHEMA.cardinalities])
    fits = SCHEMA.relations.hold(list(codes.T))
    assert count_broken(codes[fits]) == 0
    fits[rng.random(len(codes)) < 0.05] = True
    return Records(SCHEMA, codes[fits][:count].astype(np.uint16))


@pytest.mark.parametrize("kind", sorted(set(mechanisms()) - set(KEEPING)))
def test_other_methods_refuse_rules(kind: str) -> None:
    mechanism = mechanisms()[kind]
    with pytest.raises(Refusal, match="has rules") as refused:
        check_columns(mechanism, SCHEMA)
    assert refused.value.field == "rules"
    with pytest.raises(Refusal, match="has rules"):
        opening_plan(kind, SCHEMA)


@pytest.mark.parametrize("kind", ["imputation", "latent", "pmse", "seedbased"])
def test_rules_that_are_set_aside_stand_in_no_way_and_are_said(kind: str) -> None:
    plain = PLAIN.with_columns([each for each in PLAIN.columns if each.name != "hours"])
    ruled = plain.with_rules(SCHEMA.rules[:2])
    aside = ruled.set_rules_aside()
    guarantee = plan_run(opening_plan(kind, aside), aside).guarantee
    said = "2 rules were declared and not kept: they were set aside for this release"
    assert any(each.startswith(said) for each in guarantee.scope.not_covered)
    free = plan_run(opening_plan(kind, plain), plain).guarantee
    assert guarantee.total == free.total
    assert not any("set aside" in each for each in free.scope.not_covered)
    one = plain.with_rules(SCHEMA.rules[:1]).set_rules_aside()
    beyond = plan_run(opening_plan(kind, one), one).guarantee.scope.not_covered
    assert "1 rule was declared and not kept: it was set aside for this release, and " in beyond[-1]


def test_what_becomes_of_records_is_said_to_be_changed_late() -> None:
    late = SCHEMA.rules[0].model_copy(update={"settled_late": True})
    schema = PLAIN.with_rules((late, *SCHEMA.rules[1:]))
    assert schema.fingerprint == SCHEMA.fingerprint
    assert Schema.from_json(schema.to_json()).rules[0].settled_late
    words = plan_run(opening_plan("seedbased", schema), schema).guarantee.scope.assumes
    assert any("was changed after it was seen how many" in each for each in words)
    usual = plan_run(opening_plan("seedbased", SCHEMA), SCHEMA).guarantee.scope.assumes
    assert not any("was changed after" in each for each in usual)


def test_a_code_that_no_rule_explains_is_said() -> None:
    """Schemas that were declared before such a rule was asked for are still run."""
    codes = (MissingCode(values=("-8",), label="not applicable"),)
    hours = PLAIN.column("hours").changed(missing_codes=codes)
    schema = PLAIN.replace(hours)
    beyond = plan_run(opening_plan("seedbased", schema), schema).guarantee.scope.not_covered
    assert any("No rule says exactly when “hours” is “not applicable”" in each for each in beyond)
    exact = schema.with_rules([Rule(text='(hours == -8) == (work == "no")')])
    beyond = plan_run(opening_plan("seedbased", exact), exact).guarantee.scope.not_covered
    assert not any("No rule says" in each for each in beyond)


def test_a_method_that_says_nothing_of_rules_keeps_none() -> None:
    class Silent:
        title = "Silent"

        def check_schema(self, schema: Schema) -> None:
            """Take any columns."""

    check_columns(Silent(), PLAIN)  # type: ignore[arg-type]
    with pytest.raises(Refusal, match="“Silent” may release rows"):
        check_columns(Silent(), SCHEMA)  # type: ignore[arg-type]


def test_a_plan_is_checked_before_a_run_is() -> None:
    plan = mechanisms()["imputation"].default_plan(PLAIN)
    moved = plan.model_copy(update={"domain": SCHEMA.fingerprint})
    with pytest.raises(Refusal, match="has rules"):
        plan_run(moved, SCHEMA)


@pytest.mark.parametrize(
    "proposer", ["projected", "projection", "latent-noise", "factor-noise", "network-noise"]
)
def test_other_proposers_refuse_rules(proposer: str) -> None:
    with pytest.raises(Refusal, match=f"“{proposer}” may break") as refused:
        plan_run(opening_plan("scored", SCHEMA, {"proposer": proposer}), SCHEMA)
    assert refused.value.field == "proposer"


def test_seeds_among_records_that_a_rule_binds() -> None:
    given = {"seeds_among": "work = yes"}
    with pytest.raises(Refusal, match="Rules bind “work”") as refused:
        plan_run(opening_plan("scored", SCHEMA, given), SCHEMA)
    assert refused.value.field == "seeds_among"


def test_a_third_party_model_refuses_rules() -> None:
    claim = Claim(name="any", source="Somebody.", covers="The model.").model_dump()
    given = {"model": {"kind": "outside", "epsilon": 1.0, "outside": claim}}
    plan_run(opening_plan("seedbased", PLAIN, given), PLAIN)
    with pytest.raises(Refusal, match="third-party model may draw"):
        plan_run(opening_plan("seedbased", SCHEMA, given), SCHEMA)


def test_rules_that_are_too_wide_for_some_order_of_a_learned_network() -> None:
    """Four columns of many values: their middle ones bind too many if they are drawn last."""
    names = ("a", "b", "c", "d")
    columns = tuple(number(name, 999) for name in names)
    rules = [Rule(text=f"{one} <= {other}") for one, other in pairwise(names)]
    schema = Schema(columns=columns, rules=tuple(rules))
    for model in ("calibrated", "marginals"):
        plan_run(opening_plan("seedbased", schema, {"model": {"kind": model}}), schema)
    with pytest.raises(Refusal, match="calibrated model") as refused:
        plan_run(opening_plan("seedbased", schema, {"model": {"kind": "network"}}), schema)
    assert refused.value.field == "rules"
    three = Schema(columns=columns[:3], rules=tuple(rules[:2]))
    plan_run(opening_plan("seedbased", three, {"model": {"kind": "network"}}), three)


def test_rules_that_are_too_wide_for_every_order() -> None:
    """Of columns each two of which a rule binds, every order binds all but the last."""
    names = ("a", "b", "c", "d")
    columns = tuple(number(name, 199) for name in names)
    rules = [
        Rule(text=f"{one} + {step} != {other}")
        for step, one in enumerate(names, start=1)
        for other in names
        if one < other
    ]
    schema = Schema(columns=columns, rules=tuple(rules))
    for kind in KEEPING:
        with pytest.raises(Refusal, match="one after another") as refused:
            plan_run(opening_plan(kind, schema), schema)
        assert refused.value.field == "rules"


def test_too_many_columns_are_bound_for_scored_candidates() -> None:
    columns = tuple(number(f"c{place}", 2) for place in range(66))
    rules = tuple(Rule(text=f"c{place} != c{place + 1}") for place in range(0, 66, 2))
    schema = Schema(columns=columns, rules=rules)
    with pytest.raises(Refusal, match="66 columns"):
        plan_run(opening_plan("scored", schema), schema)
    schema = schema.with_rules(rules[:32])
    plan_run(opening_plan("scored", schema), schema)


SHARES = {"seeds": 0.5, "structure": 0.2, "parameters": 0.25, "held_out": 0.05}
SEEDBASED: Mapping[str, Mapping[str, Any]] = {
    "hidden": {"omega": {"low": 1, "high": 4, "reading": "hidden"}},
    "announced": {"omega": {"low": 1, "high": 5, "reading": "announced"}},
    "fixed": {"omega": {"low": 3, "high": 3}},
}


def release_all(kind: str, given: Mapping[str, Any], records: Records) -> np.ndarray:
    """Return what a run of a plan releases, as codes."""
    decided = plan_run(opening_plan(kind, SCHEMA, given), SCHEMA)
    secret = Secret.fixed(5)
    state = decided.mechanism.begin(decided, records, secret, None)
    kept = decided.mechanism.restore(decided, dict(state.arrays()))
    chunks = decided.mechanism.release(
        decided, records, kept, secret, Workers(cores=1), ResumePoint()
    )
    return np.concatenate([each.content for each in chunks])


@pytest.mark.parametrize("omega", sorted(SEEDBASED))
@pytest.mark.parametrize("model", ["calibrated", "network", "marginals"])
def test_records_of_seeds_break_no_rule(model: str, omega: str) -> None:
    """An attempt whose seed breaks a rule comes to nothing, or to a record that does not."""
    given = {
        "test": {"kind": "relative-sensitivity", "k": 3, "epsilon0": None},
        "attempts": 3_000,
        "model": {"kind": model, "epsilon": 2.0},
        "shares": SHARES,
        "seeds_at_least": 300,
        **SEEDBASED[omega],
    }
    found = release_all("seedbased", given, make_records(1_500))
    assert len(found) > 500
    assert count_broken(found) == 0


def test_scored_records_break_no_rule() -> None:
    given = {
        "numbers": {"redrawn": 0.5},
        "test": {"kind": "plausible-deniability", "k": 40, "gamma": 4.0, "epsilon0": 1.0},
        "attempts": 2_000,
    }
    found = release_all("scored", given, make_records(1_500))
    assert len(found) > 200
    assert count_broken(found) == 0
