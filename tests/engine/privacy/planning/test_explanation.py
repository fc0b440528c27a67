"""What a plan's figures mean, in sentences."""

import re
from typing import Any

import pytest

from understudy.privacy.accounting.account import Account
from understudy.privacy.accounting.accountant import account
from understudy.privacy.planning.planner import explanation
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity

TEST = RelativeSensitivity(k=2_000, epsilon0=0.02)


def figures(count: int = 100, **options: Any) -> Account:
    return account(TEST, count, 1e-9, **options)


def test_the_total_comes_first_and_is_rounded_upwards() -> None:
    made = figures(seeds_at_least=100_000)
    said = explanation(made, 5_432)[0]
    assert said.startswith("With k = 2,000 and ε0 = 0.02, 100 attempts come to ε = ")
    shown = re.search(r"ε = ([\d.]+) at δ = ([\d.e-]+)\.", said)
    assert shown is not None
    assert made.total.epsilon <= float(shown[1]) <= made.total.epsilon * 1.001
    assert made.total.delta <= float(shown[2]) <= made.total.delta * 1.001


def test_one_is_singular() -> None:
    said = " ".join(explanation(figures(1), None))
    assert "1 attempt comes to" in said
    assert "adds them up" not in said
    said = " ".join(explanation(figures(1, protocol="published"), None))
    assert "1 record comes to" in said


def test_each_unit_and_its_t() -> None:
    made = figures()
    said = explanation(made, None)[1]
    assert said.startswith("Each attempt by itself has ε = 0.0")
    assert f"t = {made.t:,}; optimal composition adds them up" in said
    said = explanation(figures(protocol="releases", pass_floor=0.1), None)[1]
    assert said.startswith("Each record by itself")


def test_the_noise_in_seeds() -> None:
    # 1/ε0 = 50; three times that is exceeded in one case of 40.
    said = explanation(figures(), None)[2]
    assert "moves k by about 50 either way" in said
    assert "only where 2,150 or more seeds" in said


def test_rejections() -> None:
    made = figures(seeds_at_least=100_000)
    assert made.pass_cap is not None
    said = explanation(made, None)[3]
    one_in = re.search(r"one in ([\d,]+) is rejected", said)
    assert one_in is not None
    turns = int(one_in[1].replace(",", ""))
    assert 0.9 / made.pass_cap < turns <= 1 / made.pass_cap
    assert "no number of seeds is known" in explanation(figures(), None)[3]
    said = explanation(figures(protocol="published"), None)[3]
    assert "no run is made" in said
    said = explanation(figures(protocol="releases", pass_floor=0.125), None)[3]
    assert "12.5 %" in said
    assert "how many attempts" in said


@pytest.mark.parametrize("rule", [None, 12_345])
def test_the_published_rule_is_for_comparison(rule: int | None) -> None:
    said = explanation(figures(), rule)
    assert len(said) == (4 if rule is None else 5)
    if rule is not None:
        assert said[-1] == "For comparison: the published rule k = 2t takes k = 12,345."
    assert all(sentence.endswith(".") for sentence in said)
