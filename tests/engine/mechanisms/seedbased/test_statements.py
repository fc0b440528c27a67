"""Twenty plans from ε = .01 to 10⁴, and what is said of each, held sentence by sentence against an
oracle of its own."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from typing import Any

import pytest

from tests.engine.mechanisms.seedbased.sentences_of import Case, N, becomes, told, unfit, upwards
from tests.support import category_schema, stated
from understudy.ledger.totals import Spend, population, total
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.mechanisms.statement import STAIN
from understudy.models.omega import Omega
from understudy.models.third_party.claim import Claim
from understudy.privacy.budget import Budget, Neighbours
from understudy.privacy.strength import AMOUNTS_TO, Strength, strength
from understudy.report.ledger_extract import LedgerExtract, cumulative_sentences, spell_budget
from understudy.runs.debit import debit_of

SCHEMA = category_schema(3, 4, 2, 5).declare_public("the code book")

SEEDLESS = {"omega": Omega(low=4, high=4)}
TOY = Claim(name="toy", source="The authors of the toy", covers="One record, added or removed.")
RELATIVE = {"kind": "relative-sensitivity", "k": 300, "epsilon0": 0.3}
MANY = {"public_records": 20_000}
RELEASES = {"protocol": "releases", "pass_floor": 0.1, "attempts": 5, "test": RELATIVE, **MANY}


def model(epsilon: float | None, **settings: Any) -> dict[str, Any]:
    return {"model": ModelPlan(epsilon=epsilon, **settings)}


PLANS: dict[str, tuple[dict[str, Any], tuple[float, float] | None]] = {
    # What is run, and between what its ε lies; None where nothing is promised.
    "a hundredth": ({**SEEDLESS, **model(0.01)}, (0.01, 0.01)),
    "a tenth, marginals, without δ": (
        {**SEEDLESS, **model(0.1, kind="marginals")}, (0.1, 0.1),
    ),
    "a half, published network": ({**SEEDLESS, **model(0.5, kind="network")}, (0.49, 0.51)),
    "one": ({**SEEDLESS, **model(1.0)}, (1, 1)),
    "one, a sample": ({**SEEDLESS, **model(1.0), "sampling": 0.01}, (1, 1)),
    "outside": ({**SEEDLESS, **model(0.75, kind="outside", outside=TOY)}, (0.75, 0.75)),
    "two, of three records a person": (
        {**SEEDLESS, **model(2 / 3), "records_per_person": 3}, (1.9, 2.1),
    ),
    "three, of five and a sample": (
        {**SEEDLESS, **model(0.6), "records_per_person": 5, "sampling": 0.2}, (2.9, 3.1),
    ),
    "five": ({**SEEDLESS, **model(5.0)}, (5, 5)),
    "nine, and a sample of all": ({**SEEDLESS, **model(9.0), "sampling": 1.0}, (9, 9)),
    "a large δ": ({**SEEDLESS, **model(0.2), "delta": 1e-4, "seeds_at_least": 100}, (0.2, 0.2)),
    "one attempt": ({"attempts": 1, **MANY}, (1, 1.3)),
    "ten attempts, by the second test": (
        {"attempts": 10, "test": RELATIVE, **model(0.5), **MANY}, (0.5, 4),
    ),
    "forty attempts, of which half look": (
        {"attempts": 40, "omega": Omega(low=3, high=4, reading="announced"), **MANY}, (5, 40),
    ),
    "records only": (RELEASES, (1, 4)),
    "records only, two a person, a sample": (
        {**RELEASES, "records_per_person": 2, "sampling": 0.5}, (2, 8),
    ),
    "a thousand attempts, chosen by looking": (
        {"attempts": 1_000, "chosen_by_looking": True, **MANY}, (300, 900),
    ),
    "ten thousand and more": ({"attempts": 20_000, **MANY}, (1e4, 1e5)),
    "a model without noise": ({**model(None), **MANY}, None),
    "a test without noise": ({"test": {"k": 50, "gamma": 4.0, "epsilon0": None}, **MANY}, None),
}  # fmt: skip


def said(name: str) -> tuple[dict[str, Any], Case]:
    plan = Plan.of(SCHEMA, **PLANS[name][0])
    made = promise(plan, SCHEMA)
    written = stated(plan, SCHEMA, released=12, sha256="0" * 64, stained=False)
    guarantee = json.loads(json.dumps(written, allow_nan=False))["guarantee"]
    return guarantee, Case(plan, SCHEMA, made.total, made.population)


def test_there_are_twenty_over_six_orders_of_magnitude() -> None:
    assert len(PLANS) == 20
    epsilons = [said(name)[1].total.epsilon for name, (_, within) in PLANS.items() if within]
    assert min(epsilons) <= 0.01
    assert max(epsilons) >= 1e4
    grades = {said(name)[0]["strength"] for name in PLANS}
    assert grades == set(Strength)


@pytest.mark.parametrize("name", PLANS)
def test_every_sentence_says_what_its_figures_are(name: str) -> None:
    guarantee, case = said(name)
    within = PLANS[name][1]
    if within is None:
        assert not case.total.bounded
    else:
        assert within[0] * (1 - 1e-9) <= case.total.epsilon <= within[1] * (1 + 1e-9)
    assert unfit(told(guarantee), case) == []


@pytest.mark.parametrize("name", PLANS)
def test_the_belief_comes_first_and_no_comfort_stands_over_a_large_epsilon(name: str) -> None:
    guarantee, case = said(name)
    first = guarantee["statement"].partition(" ")[0]
    assert first == ("No" if not case.total.bounded else first)
    if case.total.bounded:
        assert first in ("Somebody", "Reading")
    worst = becomes(case.total, 0.1, 2)[0] if case.total.bounded else 1.0
    text = " ".join(told(guarantee))
    assert ("hardly" in text) == (worst <= 0.125)
    assert not (re.search(r"strong promise|only a little", text) and worst > 0.25)
    assert not ("moderate" in text and worst > 0.5)


@pytest.mark.parametrize("name", PLANS)
def test_figures_for_programs_are_those_of_the_sentences(name: str) -> None:
    guarantee, case = said(name)
    assert guarantee["strength"] == strength(case.total)
    assert guarantee["neighbours"] == "tables"
    if not case.total.bounded:
        assert guarantee["epsilon"] is guarantee["delta"] is guarantee["beliefs"] is None
        return
    assert (guarantee["epsilon"], guarantee["delta"]) == (case.total.epsilon, case.total.delta)
    for steps, about in ((1, "presence"), (2, "value")):
        stated = guarantee["beliefs"][about]
        at_most, beyond = becomes(case.total, 0.1, steps)
        assert stated["at_most"] == pytest.approx(at_most)
        if at_most < 1:
            assert stated["chance_beyond"] == pytest.approx(beyond)
    assert (guarantee["population"] is None) == (case.plan.sampling is None)
    if guarantee["population"] is not None:
        p, epsilon = case.plan.sampling or 1.0, case.total.epsilon
        assert guarantee["population"]["neighbours"] == "populations"
        assert guarantee["population"]["epsilon"] == pytest.approx(
            math.log1p(p * math.expm1(epsilon))
        )
        assert guarantee["population"]["delta"] == pytest.approx(p * case.total.delta)


@pytest.mark.parametrize("name", PLANS)
def test_formulas_come_to_the_figures(name: str) -> None:
    guarantee, case = said(name)
    made, plan = case.made, case.plan
    found = {each["of"]: each["text"] for each in guarantee["formula"]}
    figures = rf"\({N}, {N}\)"
    for of, text in found.items():
        match of:
            case "one attempt":
                assert made.seeds is not None
                stated = re.search(rf"= {N}; .* = {N}, k = {N}, t = {N}, n = {N}$", text)
                assert stated is not None
                assert upwards(stated[1], made.seeds.attempt.epsilon)
                assert upwards(stated[2], made.seeds.attempt.delta)
                assert stated[3].replace(",", "") == str(plan.test.k)
                assert stated[4].replace(",", "") == str(made.seeds.t)
            case "one released record":
                assert made.seeds is not None
                assert _stated(text, figures, made.seeds.each)
            case "composition":
                assert made.seeds is not None
                assert text.startswith(f"N = {made.seeds.count:,} ")
                assert _stated(text, figures, made.seeds.record)
            case "pass cap":
                cap = 1 / ((plan.seeds_at_least + 1) * math.exp(made.seeds.attempt.epsilon)
                           - plan.seeds_at_least)  # fmt: skip
                stated = re.search(rf"= {N}, n", text)
                assert stated is not None
                assert upwards(stated[1], cap)
            case "stopping":
                assert f"A = {made.attempts_at_most:,} attempts" in text
                assert f"m = {plan.attempts:,}, c = {plan.pass_floor:g}" in text
            case "the whole release, for one record":
                stated = re.match(rf"ε = {N},", text)
                assert stated is not None
                assert upwards(stated[1], made.record.epsilon)
            case "a person":
                assert _stated(text, figures, made.total)
                assert f"g = {plan.records_per_person}" in text
                assert plan.records_per_person > 1
            case "the population":
                assert made.population is not None
                assert _stated(text, figures, made.population)
                assert f"p = {plan.sampling:g}" in text
            case _:
                pytest.fail(f"a formula of {of}, which nothing looks at")
    assert (found == {}) == (not case.total.bounded)


def _stated(text: str, figures: str, budget: Budget) -> bool:
    """Whether the first pair of figures is this one."""
    stated = re.search(figures, text)
    assert stated is not None
    return upwards(stated[1], budget.epsilon) and upwards(stated[2], budget.delta)


RUNS = {
    "one": [Spend(Budget(1.0, 1e-9))],
    "two": [Spend(Budget(1.0, 1e-9)), Spend(Budget(0.3, 1e-9))],
    "samples": [Spend(Budget(0.1, 1e-9), 1, 0.1)] * 3,
    "of many records": [Spend(Budget(0.2, 1e-12)), Spend(Budget(0.1, 1e-12), 4)],
    "beyond any ε": [Spend(Budget(1.0, 1e-9), 1), Spend(Budget(0.01, 1e-30), 100)],
    "a hundred": [Spend(Budget(0.5, 1e-9))] * 100,
}


def extract(spends: list[Spend], unpromised: int = 0) -> LedgerExtract:
    plan = Plan.of(SCHEMA, **SEEDLESS)
    return LedgerExtract(
        debit_of(plan_run(plan, SCHEMA)), total(spends), population(spends), None,
        Neighbours.TABLES, len(spends) + unpromised, unpromised, 1, "0" * 64, "1" * 64,
    )  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_what_all_runs_come_to_is_said_beside_what_one_does(name: str) -> None:
    found = extract(RUNS[name])
    text = cumulative_sentences(found)
    if len(RUNS[name]) == 1:
        assert text is None
        return
    assert text is not None
    others = len(RUNS[name]) - 1
    start = f"The ledger knows {others} other run{'s' * (others > 1)} on the same data. "
    assert text.startswith(start)
    rest = text.removeprefix(start)
    if not found.spent.bounded:
        assert rest.startswith("Nothing bounds what all of them together show")
        return
    sums = f"All {found.runs} together come to {spell_budget(found.spent)}. "
    assert rest.startswith(sums)
    epsilon, delta = (
        sum(each.record.epsilon for each in RUNS[name]),
        sum(each.record.delta for each in RUNS[name]),
    )
    if all(each.records_per_person == 1 for each in RUNS[name]):
        assert found.spent.epsilon == pytest.approx(epsilon)
        assert found.spent.delta == pytest.approx(delta)
    _, case = said("one")
    assert unfit([rest.removeprefix(sums)], case.together(found.spent)) == []


def test_no_total_is_made_of_runs_that_promise_nothing() -> None:
    text = cumulative_sentences(extract(RUNS["two"], unpromised=2))
    assert text is not None
    assert "Nothing bounds" in text
    assert "2 of the 4 promise nothing" in text
    assert not any(each in text for each in AMOUNTS_TO.values())


def test_a_demonstration_says_that_it_is_one_and_nothing_else() -> None:
    plan = Plan.of(SCHEMA, **PLANS["one"][0])
    made = stated(plan, SCHEMA, released=12, sha256="0" * 64, stained=True)["guarantee"]
    assert made["statement"] == STAIN
    assert (made["strength"], made["beliefs"], made["population"]) == ("none", None, None)
    assert made["assumes"] == made["not_covered"] == made["reader_sees"] == []


CHANGES = [
    ("19.2 %", "19.1 %"), ("33.5 %", "33.4 %"), ("1 in 2.6 million", "1 in 2.7 million"),
    ("δ = 1e-9", "δ = 1e-10"), ("moderate promise", "strong promise"), ("2.118", "2.117"),
    ("e^0.75", "e^0.74"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), CHANGES)
def test_the_oracle_notices_a_figure_that_is_understated(one: str, other: str) -> None:
    guarantee, case = said("outside")
    assert one in guarantee["statement"]
    assert unfit([guarantee["statement"].replace(one, other)], case) != []


def test_the_oracle_notices_a_statement_of_another_plan() -> None:
    for one, other in (("one", "five"), ("records only", "one attempt"), ("one", "a large δ")):
        assert unfit(told(said(one)[0]), said(other)[1]) != []
    guarantee, case = said("one, a sample")
    amplified = replace(case, total=case.population or case.total)
    assert unfit(told(guarantee), amplified) != []
