from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

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


def test_words_for_people(understudy: Callable[..., Any]) -> None:
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
