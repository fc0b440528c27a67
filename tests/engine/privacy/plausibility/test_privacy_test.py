"""The parameters both tests take, the names they are chosen by, and how they are written."""

import json
import math
from typing import Any

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.privacy.plausibility.privacy_test import (
    USUAL_GAMMA,
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
    privacy_test,
)
from understudy.privacy.plausibility.threshold import LARGEST_K, NoisyThreshold

DENIABILITY = PlausibleDeniability(k=50, gamma=3.0, epsilon0=1.0)
RELATIVE = RelativeSensitivity(k=50, epsilon0=1.0)
EITHER: TypeAdapter[PrivacyTest] = TypeAdapter(PrivacyTest)

BAD_EITHER = [
    *(("k", value) for value in (0, -1, 2.5, LARGEST_K + 1, 10**40, math.nan, "50", True, None)),
    *(("epsilon0", value) for value in (0, -1, 1e-9, math.inf, math.nan, "1", False)),
]
BAD_GAMMA = [("gamma", value) for value in (0, 1, 1.0, 0.5, -4, math.inf, math.nan, "4")]


class Holder(Frozen, what="the holder"):
    test: PrivacyTest


def test_each_kind_by_its_name() -> None:
    assert privacy_test("plausible-deniability", 50, 1.0, 3.0) == DENIABILITY
    assert privacy_test("relative-sensitivity", 50, 1.0) == RELATIVE
    usual = privacy_test("plausible-deniability", 50, None)
    assert usual == PlausibleDeniability(k=50, gamma=USUAL_GAMMA, epsilon0=None)


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [("relative-sensitivity", *each) for each in BAD_EITHER]
    + [("plausible-deniability", *each) for each in BAD_EITHER + BAD_GAMMA],
)
def test_parameters_that_cannot_be_used(kind: Any, field: str, value: Any) -> None:
    parameters = {"k": 50, "epsilon0": 1.0, field: value}
    with pytest.raises(Refusal) as by_name:
        privacy_test(kind, **parameters)
    of_kind = {"plausible-deniability": PlausibleDeniability}.get(kind, RelativeSensitivity)
    given = {"gamma": 4.0} | parameters if of_kind is PlausibleDeniability else parameters
    with pytest.raises(Refusal) as direct:
        of_kind(**given)
    for refusal in (by_name.value, direct.value):
        assert refusal.field == field
        assert refusal.problem.endswith(".")
        assert refusal.remedy.endswith(".")


def test_the_relative_sensitivity_test_has_no_gamma() -> None:
    with pytest.raises(Refusal, match="γ") as refusal:
        privacy_test("relative-sensitivity", 50, 1.0, 4.0)
    assert refusal.value.field == "gamma"


def test_a_kind_that_does_not_exist() -> None:
    unknown: Any = "absolute-sensitivity"
    with pytest.raises(Refusal, match=r"plausible-deniability or relative-sensitivity") as refusal:
        privacy_test(unknown, 50, 1.0)
    assert refusal.value.field == "kind"


@pytest.mark.parametrize("test", [DENIABILITY, RELATIVE], ids=lambda each: each.kind)
def test_parameters_are_frozen_and_closed(test: NoisyThreshold) -> None:
    with pytest.raises(ValidationError):
        test.k = 60
    with pytest.raises(Refusal) as refusal:
        type(test)(**test.model_dump(), omega=3)
    assert refusal.value.field == "omega"


def test_what_is_missing_is_named() -> None:
    with pytest.raises(Refusal) as refusal:
        PlausibleDeniability(k=50, epsilon0=1.0)
    assert refusal.value.field == "gamma"


@pytest.mark.parametrize(
    "test",
    [
        DENIABILITY,
        RELATIVE,
        PlausibleDeniability(k=7, gamma=2.0, epsilon0=None),
        RelativeSensitivity(k=7, epsilon0=None),
    ],
    ids=repr,
)
def test_parameters_survive_a_file_as_the_kind_they_are(test: PrivacyTest) -> None:
    text = Holder(test=test).model_dump_json()
    assert json.loads(text)["test"]["kind"] == test.kind
    assert Holder.model_validate_json(text).test == test
    assert type(EITHER.validate_json(test.model_dump_json())) is type(test)


def test_tests_of_two_kinds_are_two_tests() -> None:
    assert PlausibleDeniability(k=50, gamma=4.0, epsilon0=1.0) != RELATIVE
    assert hash(RELATIVE) == hash(RelativeSensitivity(k=50, epsilon0=1.0))


@pytest.mark.parametrize("test", [DENIABILITY, RELATIVE], ids=lambda each: each.kind)
def test_the_coin_has_the_parameters_of_the_test(test: PrivacyTest) -> None:
    coin = test.coin
    assert (coin.k, coin.epsilon0, coin.noise) == (50, 1.0, test.noise)


def test_numbers_of_any_library_will_do() -> None:
    test = privacy_test("plausible-deniability", np.int64(50), np.float64(1.0), 3)
    assert test == DENIABILITY
