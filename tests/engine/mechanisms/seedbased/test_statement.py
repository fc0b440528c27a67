from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.support import category_schema, stated
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.mechanisms.statement import STAIN
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import privacy_test
from understudy.privacy.strength import AMOUNTS_TO, Strength, strength
from understudy.table.formula_safety import NOTE
from understudy.table.schema import Schema

SCHEMA = category_schema(3, 4, 2, 5).declare_public("agreed with the board")


def said(*, stained: bool = False, **settings: Any) -> dict[str, Any]:
    plan = Plan.of(SCHEMA, **settings)
    made = stated(plan, SCHEMA, released=12, sha256="0" * 64, stained=stained)
    return dict(json.loads(json.dumps(made, allow_nan=False)))


def test_the_statement_repeats_the_promise() -> None:
    plan = Plan.of(SCHEMA, attempts=40)
    made = promise(plan, SCHEMA)
    told = said(attempts=40)
    assert told["guarantee"]["epsilon"] == made.total.epsilon
    assert told["guarantee"]["delta"] == made.total.delta
    assert told["guarantee"]["strength"] == strength(made.total)
    assert told["guarantee"]["neighbours"] == "tables"
    assert told["parts"]["attempts"]["pass_cap"] == made.pass_cap
    assert told["table"] == {"rows": 12, "sha256": "0" * 64, "columns": list(SCHEMA.names)}
    assert told["declared_public"]["note"] == "agreed with the board"
    assert Plan.read(told["plan"]) == plan  # nothing was settled


def test_a_file_with_formulas_says_how_they_stand_there() -> None:
    first, *others = SCHEMA.columns
    schema = Schema(columns=(first.changed(name="=1+1"), *others))
    plan = Plan.of(schema)
    for as_csv, note in ((True, NOTE), (False, None)):
        made = stated(plan, schema, released=12, sha256="0" * 64, stained=False, as_csv=as_csv)
        assert made["table"].get("formulas") == note
        assert made["table"]["columns"][0] == "=1+1"


def test_a_stain_is_in_the_statement_itself() -> None:
    told = said(stained=True)
    assert told["stain"] == STAIN
    assert told["table"]["columns"] == [*SCHEMA.names, "not_private"]
    assert told["guarantee"]["formula"] == told["guarantee"]["reader_sees"] == []
    assert told["guarantee"]["statement"] == STAIN
    assert told["guarantee"]["strength"] == "none"
    assert told["guarantee"]["epsilon"] is None
    assert "parts" not in told
    assert "stain" not in said()


RELEASES: dict[str, Any] = {"protocol": "releases", "pass_floor": 0.25, "attempts": 40}
PANEL = {
    "strength", "beliefs", "epsilon", "delta", "neighbours", "statement", "compares", "protects",
    "population", "record", "records_per_person", "protocol", "covers", "reader_sees", "assumes",
    "not_covered", "test", "formula",
}  # fmt: skip


@pytest.mark.parametrize("settings", [{}, RELEASES, {"stained": True}])
def test_the_panel_finds_what_it_draws(settings: dict[str, Any]) -> None:
    told = said(**settings)["guarantee"]
    assert set(told) == PANEL
    for name in ("reader_sees", "assumes", "not_covered"):
        assert all(isinstance(each, str) and each.endswith(".") for each in told[name])
    assert all(set(each) == {"of", "text"} for each in told["formula"])


def test_hidden_attempts_stay_hidden() -> None:
    told = said(**RELEASES)
    guarantee = told["guarantee"]
    assert guarantee["protocol"] == "releases"
    assert not any("attempts were made" in each for each in guarantee["reader_sees"])
    assert any("how many attempts" in each and "hidden" in each for each in guarantee["assumes"])
    assert any("a share of 0.25 of all attempts" in each for each in guarantee["assumes"])
    assert "all 40 records" in guarantee["covers"]
    assert told["parts"]["attempts"]["slot"]["delta"] > 0
    public = said(attempts=40)["guarantee"]
    assert any("attempts were made, 40" in each for each in public["reader_sees"])
    assert not any("how many attempts" in each for each in public["assumes"])


def test_each_test_is_told_with_its_source() -> None:
    second = {"test": privacy_test("relative-sensitivity", 50, 1.0)}
    assert "VLDB 2017" in said()["guarantee"]["test"]["source"]
    assert "Corollary 4.1" in said(**second)["guarantee"]["test"]["source"]
    assert said(omega=Omega(low=4, high=4))["guarantee"]["test"] is None


def test_a_person_is_told_apart_from_a_record() -> None:
    settings = {"records_per_person": 3, "omega": Omega(low=4, high=4)}
    told = said(**settings)["guarantee"]
    assert told["epsilon"] == pytest.approx(3 * told["record"]["epsilon"])
    assert "up to 3 records" in told["protects"]
    assert "up to 3" in told["compares"]
    assert "any one person, up to 3 of them," in told["statement"]
    assert any("at most 3 records" in each for each in told["assumes"])
    assert any("more than one" in each for each in said()["guarantee"]["not_covered"])


def test_all_three_compositions_and_the_published_figure_are_told() -> None:
    told = said(attempts=40)
    assert set(told["parts"]["attempts"]["composition"]) == {"sequential", "advanced", "optimal"}
    assert told["published"]["record"]["epsilon"] > 1


@pytest.mark.parametrize(
    "settings",
    [
        {"model": ModelPlan(epsilon=None)},
        {"test": privacy_test("plausible-deniability", 50, None)},
    ],
)
def test_no_noise_no_promise(settings: dict[str, Any]) -> None:
    told = said(**settings)["guarantee"]
    assert told["strength"] == "none"
    assert told["epsilon"] is told["beliefs"] is None
    assert told["assumes"] == told["reader_sees"] == told["not_covered"] == []
    assert told["protects"].startswith("Nobody")
    assert told["covers"].startswith("Nothing")
    assert "No differential privacy" in told["statement"]


def test_a_seedless_release_assumes_nothing_of_the_number_of_records() -> None:
    told = said(omega=Omega(low=4, high=4), attempts=10**6)
    assert told["parts"]["attempts"] is None
    assert not any("become seeds" in each for each in told["guarantee"]["assumes"])
    assert any("become seeds" in each for each in said()["guarantee"]["assumes"])


def test_how_stray_values_were_settled_is_not_told() -> None:
    told = [said(policies=each) for each in ({}, {"c1": "missing"})]
    assert told[0] == told[1]


def test_attempts_that_cost_nothing_are_told_apart() -> None:
    announced = Omega(low=3, high=4, reading="announced")
    assert "(20 of them look at a seed" in said(omega=announced, attempts=40)["guarantee"]["covers"]
    assert "look at a seed" not in said(attempts=40)["guarantee"]["covers"]


def test_delta_is_told_as_what_is_added() -> None:
    assert ", plus δ = 1e-9, had" in said(attempts=1)["guarantee"]["statement"]
    marginals = {"model": ModelPlan(kind="marginals"), "omega": Omega(low=4, high=4)}
    assert "plus" not in said(**marginals)["guarantee"]["statement"]


def test_a_promise_that_means_next_to_nothing_says_so() -> None:
    little = AMOUNTS_TO[Strength.VERY_WEAK]
    told = said(attempts=20_000)["guarantee"]["statement"]
    assert told.startswith("Reading this table may make somebody all but certain")
    assert little in told
    assert re.search(r"e\^\d\d,\d\d\d, a number with \d,\d\d\d digits, times", told)
    assert little not in said(omega=Omega(low=4, high=4))["guarantee"]["statement"]


def test_a_number_that_nobody_confirmed_is_not_called_public_knowledge() -> None:
    assert not any("public knowledge, as" in each for each in said()["guarantee"]["assumes"])
    assert any("Nobody has confirmed" in each for each in said()["guarantee"]["assumes"])
    few = said(public_records=3_000)["guarantee"]["assumes"]
    assert any("Nobody has confirmed" in each for each in few)
    told = said(public_records=20_000)["guarantee"]["assumes"]
    assert any("at least 20,000 records" in each and "confirmed" in each for each in told)


def test_settings_chosen_by_looking_are_told() -> None:
    looked = said(chosen_by_looking=True)["guarantee"]
    assert any("adopted them after looking" in each for each in looked["not_covered"])
    assert not any("settings of the plan were not chosen" in each for each in looked["assumes"])
    blind = said()["guarantee"]
    assert not any("adopted them after looking" in each for each in blind["not_covered"])
    assert any("settings of the plan were not chosen" in each for each in blind["assumes"])
