from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import pytest

from understudy.privacy.accounting.published_figures import published_record
from understudy.privacy.plausibility.privacy_test import privacy_test


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
    assert understudy(*asked, "--json").json["published"] == stated.stated()
    assert re.search(r"Theorem 1, VLDB 2017 +ε = 1\.13\b", understudy(*asked).out)
