from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support import category_schema
from understudy.acceptance.statistics import DistanceOf, MeanOf, ShareOf
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.privacy.accounting.published_figures import published_record
from understudy.privacy.plausibility.privacy_test import privacy_test
from understudy.samples.census import SCHEMA
from understudy.table.schema import Schema


@pytest.fixture
def plan(understudy: Callable[..., Any], tmp_path: Path) -> Path:
    path = tmp_path / "plan.json"
    known = ("propose", "--schema", SCHEMA, "--records", 20_000, "--save-plan", path)
    assert understudy(*known).status == 0
    return path


def test_a_test_is_added_to_a_plan(
    understudy: Callable[..., Any], plan: Path, tmp_path: Path
) -> None:
    place = tmp_path / "tested.json"
    asked = (
        *("acceptance", "--plan", plan, "--schema", SCHEMA, "--epsilon", 0.5),
        *("--share", "SEX=1~0.03", "--share", "MAR=1|5", "--mean", "AGEP~2"),
        *("--distance", "SCHL,OCCP~0.2", "--save-plan", place),
    )
    told = understudy(*asked, "--json").json
    # A tenth of the records is measured for half as much as the others are learned from for.
    added = 0.1 * math.expm1(0.5)
    total = math.log(math.exp(told["without"]["epsilon"]) + added)
    assert told["total"]["epsilon"] == pytest.approx(total)
    assert told["total"]["delta"] == told["without"]["delta"]
    assert told["held_out"] == 2_000
    share, group, mean, distance = told["widths"]
    assert 0.001 < share == group < 0.02
    assert 0.1 < mean < 2
    assert 0.005 < distance < 0.05
    saved = Plan.from_json(place.read_text(encoding="utf-8"))
    assert saved.acceptance is not None
    assert saved.acceptance.statistics == (
        ShareOf(column="SEX", values=("1",), limit=0.03),
        ShareOf(column="MAR", values=("1", "5")),
        MeanOf(column="AGEP", limit=2.0),
        DistanceOf(columns=("SCHL", "OCCP"), limit=0.2),
    )
    out = understudy(*asked).out
    assert "Distance of “Schooling” with “Occupation”" in out
    assert "not their sum" in " ".join(out.split())


def test_noisy_tables_alone_need_no_epsilon(
    understudy: Callable[..., Any], plan: Path, tmp_path: Path
) -> None:
    place = tmp_path / "told.json"
    asked = ("acceptance", "--plan", plan, "--schema", SCHEMA, "--noisy-tables")
    assert "at no cost" in understudy(*asked, "--save-plan", place).out
    saved = Plan.from_json(place.read_text(encoding="utf-8"))
    assert saved.noisy_tables
    assert saved.acceptance is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--share", "SEX"), "--share"),
        (("--share", "SEX=1~much"), "tilde"),
        (("--share", "SEX=9"), "is none of"),
        (("--mean", "SEX"), "no numbers"),
        (("--distance", "SEX"), "of two columns"),
        ((), "entries"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    understudy: Callable[..., Any], plan: Path, given: tuple[str, ...], said: str
) -> None:
    asked = ("acceptance", "--plan", plan, "--schema", SCHEMA, "--epsilon", 0.5, *given)
    assert said in understudy(*asked).refusal


def test_the_example_of_one_attempt(understudy: Callable[..., Any]) -> None:
    """Theorem 1 with Laplace noise: ε0 + ln(1 + γ/t) and ½·e^{−ε0(k−t)}."""
    figures = understudy(
        "account", "--test", "plausible-deniability", "--k", 50, "--gamma", 4, "--epsilon0", 1,
        "--t", 29, "--attempts", 1, "--delta", "1e-9", "--json",
    ).json  # fmt: skip
    epsilon, delta = 1 + math.log(1 + 4 / 29), math.exp(-(50 - 29)) / 2
    assert figures["attempt"] == {
        "epsilon": pytest.approx(epsilon, rel=1e-8),
        "delta": pytest.approx(delta, rel=1e-9),
        "t": 29,
    }
    assert set(figures["composition"]) == {"sequential", "advanced", "optimal"}
    assert figures["total"]["epsilon"] == pytest.approx(epsilon, rel=1e-8)
    assert "pass_cap" not in figures


def test_the_published_example_of_the_second_test(understudy: Callable[..., Any]) -> None:
    """Corollary 4.1 with geometric noise: ε0 + ln(1 + 1/t) and e^{−ε0(k−t)}/(1 + e^{−ε0})."""
    figures = understudy(
        "account", "--test", "relative-sensitivity", "--k", 5500, "--epsilon0", 0.0072,
        "--attempts", 250, "--delta", 2e-12, "--protocol", "published", "--json",
    ).json  # fmt: skip
    attempt = figures["attempt"]
    t = attempt["t"]
    delta = math.exp(-0.0072 * (5500 - t)) / (1 + math.exp(-0.0072))
    assert attempt["epsilon"] == pytest.approx(0.0072 + math.log1p(1 / t), rel=1e-8)
    assert attempt["delta"] == pytest.approx(delta, rel=1e-9)
    composed = figures["composition"]
    assert figures["total"]["epsilon"] == composed["optimal"]["epsilon"] < 1
    assert composed["optimal"]["epsilon"] < composed["advanced"]["epsilon"] < 1
    assert figures["total"]["delta"] <= 2e-12


def test_many_attempts_against_the_formulas(understudy: Callable[..., Any]) -> None:
    attempts, k, gamma, epsilon0, t, target = 20_000, 9_000, 4.0, 0.01, 4_000, 1e-9
    figures = understudy(
        "account", "--k", k, "--gamma", gamma, "--epsilon0", epsilon0, "--t", t,
        "--attempts", attempts, "--delta", target, "--seeds-at-least", 700_000, "--json",
    ).json  # fmt: skip
    epsilon = epsilon0 + math.log1p(gamma / t)
    delta = figures["attempt"]["delta"]
    assert figures["attempt"]["epsilon"] == pytest.approx(epsilon, rel=1e-8)
    assert delta == pytest.approx(math.exp(-epsilon0 * (k - t)) / 2 / 700_001, rel=1e-6)
    composed = figures["composition"]
    assert composed["sequential"]["epsilon"] == pytest.approx(attempts * epsilon, rel=1e-8)
    assert composed["sequential"]["delta"] == pytest.approx(attempts * delta, rel=1e-9)
    slack = target - attempts * delta
    advanced = epsilon * math.sqrt(2 * attempts * math.log(1 / slack))
    advanced += attempts * epsilon * math.expm1(epsilon)
    assert composed["advanced"]["epsilon"] == pytest.approx(advanced, rel=1e-8)
    assert figures["composed_by"] == "optimal"
    assert figures["total"] == {"neighbours": "tables", **composed["optimal"]}
    assert figures["total"]["epsilon"] < advanced
    cap = 1 / (700_001 * math.exp(epsilon) - 700_000)
    assert figures["pass_cap"] == pytest.approx(cap, rel=1e-7)


def test_equal_likelihood_and_sampling(understudy: Callable[..., Any]) -> None:
    common = ("account", "--t", 29, "--delta", "1e-9", "--json")
    equal = understudy(*common, "--equal-likelihood").json
    assert equal["attempt"]["epsilon"] == pytest.approx(1 + math.log(1 + 1 / 29), rel=1e-12)
    sampled = understudy(*common, "--sampling", 0.01).json
    plain = understudy(*common).json["total"]["epsilon"]
    assert sampled["total"]["epsilon"] == plain
    assert sampled["population"]["epsilon"] == pytest.approx(
        math.log1p(0.01 * math.expm1(plain)), rel=1e-12
    )


def test_a_released_record_pays_for_the_attempts_that_are_hidden(
    understudy: Callable[..., Any],
) -> None:
    """δ/(c − δ), and no pass cap."""
    figures = understudy(
        "account", "--t", 29, "--attempts", 3, "--protocol", "releases", "--pass-floor", 0.1,
        "--delta", 1e-6, "--seeds-at-least", 1000, "--json",
    ).json  # fmt: skip
    delta = figures["attempt"]["delta"]
    assert figures["slot"]["delta"] == pytest.approx(delta / (0.1 - delta), rel=1e-9)
    assert figures["pass_cap"] is None
    assert figures["composition"]["sequential"]["delta"] == pytest.approx(
        3 * figures["slot"]["delta"], rel=1e-9
    )


def test_a_person_with_several_records(understudy: Callable[..., Any]) -> None:
    """(gε, g·e^{(g−1)ε}·δ) within the target."""
    figures = understudy("account", "--records-per-person", 3, "--json").json
    record, total = figures["record"], figures["total"]
    assert total["epsilon"] == pytest.approx(3 * record["epsilon"])
    raised = 3 * math.exp(2 * record["epsilon"]) * record["delta"]
    assert total["delta"] == pytest.approx(raised)
    assert raised <= 1e-9


def test_the_test_without_noise_promises_nothing(understudy: Callable[..., Any]) -> None:
    figures = understudy("account", "--epsilon0", "none", "--json").json
    assert figures["total"]["epsilon"] is None
    assert "nothing is promised" in understudy("account", "--epsilon0", "none").out


def test_words_for_people(understudy: Callable[..., Any]) -> None:
    ended = understudy("account", "--t", 29, "--delta", "1e-9", "--seeds-at-least", 1000)
    lines = dict(line.split("  ", 1) for line in ended.out.splitlines()[:3])
    assert lines["Test"].strip() == "plausible deniability, k = 50, γ = 4, ε0 = 1"
    assert lines["One attempt"].strip() == "ε = 1.13, δ = 3.788e-13 (at t = 29)"
    assert "Pass cap" in ended.out
    assert "rejections alike" in ended.out
    assert sum(line.endswith("*") for line in ended.out.splitlines()) == 1


def test_words_for_the_second_test_and_the_other_protocol(understudy: Callable[..., Any]) -> None:
    said = understudy(
        "account", "--test", "relative-sensitivity", "--protocol", "releases", "--pass-floor", 0.2,
        "--attempts", 7, "--records-per-person", 2, "--delta", 1e-5,
    ).out  # fmt: skip
    assert "relative sensitivity, k = 50, ε0 = 1\n" in said
    assert "γ" not in said
    assert "One record" in said
    assert re.search(r"^Records +7$", said, re.MULTILINE)
    assert "has up to 2 records" in said


@pytest.mark.parametrize(
    ("typed", "option", "said"),
    [
        (["--k", "0"], "--k", "whole number from 1"),
        (["--k", "-3"], "--k", "whole number from 1"),
        (["--gamma", "1"], "--gamma", "greater than 1"),
        (["--gamma", "nan"], "--gamma", "greater than 1"),
        (["--gamma", "inf"], "--gamma", "greater than 1"),
        (["--epsilon0", "0"], "--epsilon0", "ε0 has to be"),
        (["--epsilon0", "-1"], "--epsilon0", "ε0 has to be"),
        (["--t", "50"], "--t", "t has to be a whole number from 1 to k − 1, and k is 50"),
        (["--t", "0"], "--t", "t has to be"),
        (["--attempts", "0"], "--attempts", "number of attempts has to be"),
        (["--attempts", "-1"], "--attempts", "number of attempts has to be"),
        (["--delta", "0"], "--delta", "strictly between 0 and 1"),
        (["--delta", "nan"], "--delta", "strictly between 0 and 1"),
        (["--delta", "1e-30"], "--delta", "out of reach"),
        (["--seeds-at-least", "10"], "--k", "only 10 seeds are certain"),
        (["--seeds-at-least", "1000", "--delta", "0.001"], "--delta", "at 1/1,000 or more"),
        (["--seeds-at-least", "0"], "--seeds-at-least", "lower bound"),
        (["--sampling", "0"], "--sampling", "sampling probability"),
        (["--sampling", "1.5"], "--sampling", "sampling probability"),
        (["--test", "relative-sensitivity", "--gamma", "4"], "--gamma", "has no γ"),
        (["--pass-floor", "0.5"], "--pass-floor", "belongs to the protocol"),
        (["--protocol", "releases"], "--pass-floor", "needs a pass floor"),
        (["--protocol", "releases", "--pass-floor", "0"], "--pass-floor", "above 0"),
        (["--records-per-person", "0"], "--records-per-person", "records per person"),
        (["--records-per-person", "900"], "--records-per-person", "With up to 900"),
    ],
)
def test_refusals_name_the_option(
    understudy: Callable[..., Any], typed: list[str], option: str, said: str
) -> None:
    refusal = understudy("account", *typed, "--json").refusal
    assert refusal.startswith(f"{option}: ")
    assert said in refusal


def test_what_has_no_number_is_none_in_strict_json(understudy: Callable[..., Any]) -> None:
    assert understudy("account", "--epsilon0", "none", "--json").json["composed_by"] is None


@pytest.mark.parametrize("equal", [[], ["--equal-likelihood"]])
@pytest.mark.parametrize("attempts", [1, 100, 20_000])
def test_the_published_figure_is_that_of_the_page_and_the_packet(
    understudy: Callable[..., Any], equal: list[str], attempts: int
) -> None:
    """γ counts in the theorem, whatever is known of a run, and one record is one record."""
    asked = ["account", "--k", 50, "--gamma", 4, "--attempts", attempts, *equal]
    stated = published_record(privacy_test("plausible-deniability", 50, 1.0, 4.0), 1e-9)
    assert stated is not None
    assert understudy(*asked, "--json").json["published"] == stated.as_dict()
    assert re.search(r"Theorem 1, VLDB 2017 +ε = 1\.13\b", understudy(*asked).out)


EXAMPLE = (
    "plan", "--epsilon", 1, "--delta", 9.094947017729282e-13, "--attempts", 1000,
    "--test", "relative-sensitivity", "--protocol", "published",
)  # fmt: skip
SEEDS = ("--seeds-at-least", 100_000)


def test_the_published_example(understudy: Callable[..., Any]) -> None:
    answer = understudy(*EXAMPLE, "--json").json
    assert answer["pass_cap"] is None
    assert 1 <= answer["t"] < answer["k"] < answer["published_rule_k"]
    assert answer["total"]["epsilon"] <= 1
    assert answer["total"]["delta"] <= 2.0**-40
    assert answer["account"]["total"] == answer["total"]
    assert answer["explanation"]


def test_the_answer_meets_the_target_by_the_account_and_one_less_does_not(
    understudy: Callable[..., Any],
) -> None:
    answer = understudy(*EXAMPLE, "--json").json
    common = EXAMPLE[3:]
    found = understudy(
        "account", *common, "--k", answer["k"], "--epsilon0", answer["epsilon0"], "--json"
    ).json
    assert found["total"] == answer["total"]
    assert found["attempt"]["t"] == answer["t"]
    best = understudy("plan", *common, "--k", answer["k"] - 1, "--json").json
    assert best["total"]["epsilon"] > 1 - 1e-6


def test_each_of_the_three_questions(understudy: Callable[..., Any]) -> None:
    k = understudy("plan", "--epsilon", 1, "--attempts", 1000, *SEEDS, "--json").json["k"]
    smallest = understudy("plan", "--k", k, "--attempts", 1000, *SEEDS, "--json").json
    assert smallest["total"]["epsilon"] <= 1
    most = understudy("plan", "--k", k, "--epsilon", 1, *SEEDS, "--json").json
    assert 1000 <= most["attempts"] < 1010
    assert most["pass_cap"] > 0


def test_a_plan_for_records_of_a_run_that_hides_its_attempts(
    understudy: Callable[..., Any],
) -> None:
    common = ("plan", "--epsilon", 1, "--attempts", 200, *SEEDS, "--json")
    hidden = understudy(*common, "--protocol", "releases", "--pass-floor", 0.1).json
    counted = understudy(*common).json
    assert hidden["account"]["protocol"] == "releases"
    assert hidden["pass_cap"] is None
    # δ/(c − δ) costs ln 10 / ε0 more.
    assert hidden["k"] > counted["k"]


def test_gamma_makes_the_first_test_dearer(understudy: Callable[..., Any]) -> None:
    common = ("plan", "--epsilon", 1, "--attempts", 100, *SEEDS, "--json")
    second = understudy(*common).json["k"]
    first = understudy(*common, "--test", "plausible-deniability").json["k"]
    equal = understudy(*common, "--test", "plausible-deniability", "--equal-likelihood").json["k"]
    assert second < first
    assert equal == pytest.approx(second, abs=math.ceil(0.001 * second))


def test_words_for_people_of_plan(understudy: Callable[..., Any]) -> None:
    said = understudy(*EXAMPLE).out
    answer = understudy(*EXAMPLE, "--json").json
    assert f"k                   {answer['k']:,}\n" in said
    assert f"By the rule k = 2t  k = {answer['published_rule_k']:,}\n" in said
    assert "relative sensitivity" in said
    assert " ".join(answer["explanation"][0].split()) in " ".join(said.split())


@pytest.mark.parametrize(
    ("typed", "option", "said"),
    [
        ([], "--epsilon", "must be known"),
        (["--epsilon", 1], "--attempts", "must be known"),
        (["--k", 50], "--k", "nothing to aim at"),
        (["--k", 1, "--epsilon", 1], "--k", "whole number from 2"),
        (["--k", 500, "--epsilon", 1, "--attempts", 10_000], "--epsilon", "at the least"),
        (["--epsilon", 0, "--attempts", 5], "--epsilon", "above 0"),
        (["--epsilon", "nan", "--attempts", 5], "--epsilon", "above 0"),
        (["--epsilon", 1, "--attempts", 0], "--attempts", "whole number"),
        (["--epsilon", 1, "--attempts", 5, "--delta", 0], "--delta", "between 0 and 1"),
        (["--epsilon", 1, "--attempts", 5, "--gamma", 4], "--gamma", "has no γ"),
        (["--epsilon", 1, "--attempts", 5, "--pass-floor", 0.5], "--pass-floor", "belongs to"),
        (["--epsilon", 1, "--attempts", 5, "--protocol", "releases"], "--pass-floor", "needs a"),
        (
            ["--epsilon", 1, "--attempts", 10_000, "--seeds-at-least", 1_000],
            "--epsilon",
            "a seedless plan",
        ),
    ],
)
def test_refusals_name_the_option_and_what_would_help(
    understudy: Callable[..., Any], typed: list[Any], option: str, said: str
) -> None:
    refusal = understudy("plan", *typed, "--json").refusal
    assert refusal.startswith(f"{option}: ")
    assert said in refusal


KNOWN = ("propose", "--schema", SCHEMA, "--records", 60_000)


def test_both_plans_keep_to_what_may_be_spent(understudy: Callable[..., Any]) -> None:
    told = understudy(*KNOWN, "--epsilon", 2, "--rows", 5_000, "--attempts", 300, "--json").json
    schema = Schema.load(SCHEMA)
    for name, count in (("table", 5_000), ("alike", 300)):
        plan = Plan.model_validate(told[name]["plan"])
        assert plan.attempts == count
        total = promise(plan, schema).total
        assert told[name]["total"] == {"epsilon": total.epsilon, "delta": total.delta}
        assert total.epsilon <= 2
        assert len(told[name]["why"]) == 2
    assert told["purpose"] == "table"


def test_every_column_and_pair_is_predicted(understudy: Callable[..., Any]) -> None:
    told = understudy(*KNOWN, "--json").json["table"]["predicted"]
    names = Schema.load(SCHEMA).names
    assert list(told["columns"]) == list(names)
    assert len(told["pairs"]) == len(names) * (len(names) - 1) // 2
    counted = [each for each in told["pairs"] if each["distance"] is not None]
    assert len(counted) == told["pairs_counted"] > 0
    lines = understudy(*KNOWN).out
    assert "A whole table (proposed)" in lines
    assert all(f"  {name} " in lines for name in names)
    assert lines.count(" × ") == told["pairs_counted"]


@pytest.mark.parametrize("purpose", ["table", "alike"])
def test_the_saved_plan_is_the_proposed_one(
    purpose: str, understudy: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "plan.json"
    given = (*KNOWN, "--purpose", purpose, "--save-plan", path)
    told = understudy(*given, "--json").json
    saved = Plan.from_json(path.read_text(encoding="utf-8"))
    assert saved.as_dict() == told[purpose]["plan"]
    assert understudy(*given).status == 0
    other = understudy(*given, "--epsilon", 3)
    assert "--save-plan" in other.refusal
    assert Plan.from_json(path.read_text(encoding="utf-8")) == saved


def test_without_the_number_of_records_there_is_a_plan_and_no_prediction(
    understudy: Callable[..., Any],
) -> None:
    told = understudy("propose", "--schema", SCHEMA, "--json").json
    assert told["table"]["predicted"] is None
    assert "how many records" in told["alike"]["refused"]
    lines = understudy("propose", "--schema", SCHEMA).out
    assert "Predicted" not in lines
    assert "Say how many records" in " ".join(lines.split())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--epsilon", -1), "--epsilon: "),
        (("--epsilon", 0.001, "--purpose", "alike"), "out of reach"),
        (("--kept", 40, "--purpose", "alike"), "More columns are to be copied"),
        (("--records", -5), "--records: The number of records is -5. Enter 1 or more."),
        (("--rows", 0), "--rows: The number of rows is 0. Enter 1 or more."),
        (("--attempts", 0), "--attempts: "),
        (("--purpose", "other"), "is not table or alike"),
    ],
)
def test_what_cannot_be_proposed_is_refused(
    given: tuple[Any, ...], said: str, understudy: Callable[..., Any]
) -> None:
    assert said in understudy(*KNOWN, *given).refusal


def test_a_column_that_will_be_unrelated_is_named_before_anything_is_spent(
    understudy: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "schema.json"
    category_schema(900, 8, 5, 12, 4).declare_public().save(path)
    given = ("propose", "--schema", path, "--records", 10_000)
    told = understudy(*given, "--json").json["table"]
    if told["plan"]["model"]["kind"] == "marginals":
        pytest.fail("the example has to be one in which columns are related")
    assert told["unrelated"] == ["c0"]
    said = " ".join(understudy(*given).out.split())
    assert "“c0” will be unrelated to every other column" in said


def test_what_must_survive_is_foreseen_and_saved(
    understudy: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "plan.json"
    marked = ("--target", "WAGP", "--together", "SCHL,OCCP; AGEP,MAR,RELP")
    told = understudy(*KNOWN, *marked, "--save-plan", path, "--json").json["table"]["marked"]
    assert [each["columns"] for each in told[:2]] == [["AGEP", "MAR", "RELP"], ["SCHL", "OCCP"]]
    assert all(each["possible"] and each["distance"] > 0 for each in told[:2])
    assert len(told) == 2 + 10
    saved = Plan.from_json(path.read_text(encoding="utf-8")).marks
    assert saved.together == (("SCHL", "OCCP"), ("AGEP", "MAR", "RELP"))
    refusal = understudy(*KNOWN, "--must-survive", "NOBODY").refusal
    assert "“NOBODY” is marked to survive" in refusal
