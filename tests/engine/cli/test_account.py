from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import engine


def test_the_example_of_one_attempt(understudy: Callable[..., Any]) -> None:
    figures = understudy(
        "account", "--test", "plausible-deniability", "--k", 50, "--gamma", 4, "--epsilon0", 1,
        "--t", 29, "--attempts", 1, "--delta", "1e-9", "--json",
    ).json  # fmt: skip
    epsilon, delta = 1 + math.log(1 + 4 / 29), math.exp(-(50 - 29))
    assert figures["attempt"] == {
        "epsilon": pytest.approx(epsilon, rel=1e-12),
        "delta": pytest.approx(delta, rel=1e-12),
        "t": 29,
    }
    assert figures["total"] == figures["composition"]["sequential"]
    assert figures["total"]["epsilon"] == pytest.approx(epsilon, rel=1e-12)
    assert "pass_cap" not in figures


def test_many_attempts_against_the_formulas(understudy: Callable[..., Any]) -> None:
    attempts, k, gamma, epsilon0, t, target = 20_000, 9_000, 4.0, 0.01, 4_000, 1e-9
    figures = understudy(
        "account", "--k", k, "--gamma", gamma, "--epsilon0", epsilon0, "--t", t,
        "--attempts", attempts, "--delta", target, "--seeds-at-least", 700_000, "--json",
    ).json  # fmt: skip
    epsilon = epsilon0 + math.log1p(gamma / t)
    delta = figures["attempt"]["delta"]
    assert figures["attempt"]["epsilon"] == pytest.approx(epsilon, rel=1e-12)
    # e^{−50} is less than any δ that is ever stated.
    assert math.exp(-epsilon0 * (k - t)) <= delta < 1e-13
    composed = figures["composition"]
    assert composed["sequential"]["epsilon"] == pytest.approx(attempts * epsilon, rel=1e-12)
    assert composed["sequential"]["delta"] == pytest.approx(attempts * delta, rel=1e-9)
    slack = target - attempts * delta
    advanced = epsilon * math.sqrt(2 * attempts * math.log(1 / slack))
    advanced += attempts * epsilon * math.expm1(epsilon)
    assert composed["advanced"]["epsilon"] == pytest.approx(advanced, rel=1e-9)
    assert figures["composed_by"] == "advanced"
    assert figures["total"] == composed["advanced"]
    cap = 1 / (700_001 * math.exp(epsilon) - 700_000)
    assert figures["pass_cap"] == pytest.approx(cap, rel=1e-9)


def test_equal_likelihood_and_sampling(understudy: Callable[..., Any]) -> None:
    common = ("account", "--t", 29, "--delta", "1e-9", "--json")
    equal = understudy(*common, "--equal-likelihood").json
    assert equal["attempt"]["epsilon"] == pytest.approx(1 + math.log(1 + 1 / 29), rel=1e-12)
    sampled = understudy(*common, "--sampling", 0.01).json
    epsilon = 1 + math.log(1 + 4 / 29)
    assert sampled["total"]["epsilon"] == pytest.approx(
        math.log1p(0.01 * math.expm1(epsilon)), rel=1e-12
    )


def test_the_test_without_noise_promises_nothing(understudy: Callable[..., Any]) -> None:
    figures = understudy("account", "--epsilon0", "none", "--json").json
    assert figures["total"]["epsilon"] is None
    assert "nothing is promised" in understudy("account", "--epsilon0", "none").out


def test_words_for_people(understudy: Callable[..., Any]) -> None:
    ended = understudy("account", "--t", 29, "--delta", "1e-9", "--seeds-at-least", 1000)
    lines = dict(line.split("  ", 1) for line in ended.out.splitlines()[:3])
    assert lines["One attempt"].strip() == "ε = 1.13, δ = 7.583e-10 (at t = 29)"
    assert "Pass cap" in ended.out
    assert "rejections alike" in ended.out


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
    ],
)
def test_refusals_name_the_option(
    understudy: Callable[..., Any], typed: list[str], option: str, said: str
) -> None:
    refusal = understudy("account", *typed, "--json").refusal
    assert refusal.startswith(f"{option}: ")
    assert said in refusal


def test_strict_json_in_a_process_of_its_own() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "engine.cli", "account", "--epsilon0", "none", "--json"],
        cwd=Path(engine.__file__).parents[1],
        capture_output=True,
        check=True,
    )

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    assert json.loads(ended.stdout, parse_constant=refuse)["composed_by"] is None
