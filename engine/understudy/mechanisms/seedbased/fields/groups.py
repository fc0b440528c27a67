"""Which settings stand together, and when some of them have a use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from understudy.mechanisms.fields import COLUMNS, Group, Values
from understudy.mechanisms.seedbased.models import MODELS, USUAL
from understudy.models.about import About

TEST: Final = Group("The test", "Privacy test")
CANDIDATES: Final = Group("Candidates", "Run")
PROMISE: Final = Group("The promise", "Run")
MODEL: Final = Group("The model", "Model")
RECORDS: Final = Group("Where each record goes", "Records")


def seedless(values: Values) -> bool:
    """Return whether every column is always drawn afresh, as far as is known."""
    low, high, columns = (values.get(name) for name in ("omega_low", "omega_high", COLUMNS))
    return columns is not None and low == high == columns


def holds(name: str, *wanted: Any) -> Callable[[Values], bool]:
    """Return whether a setting is one of these."""
    return lambda values: values.get(name) in wanted


def tested(values: Values) -> bool:
    """Return whether candidates are tested."""
    return not seedless(values)


def has_gamma(values: Values) -> bool:
    """Return whether the test weighs likelihoods within a factor."""
    return tested(values) and values.get("test") != "relative-sensitivity"


def has_noise(values: Values) -> bool:
    """Return whether candidates are tested with noise, as far as is known."""
    return tested(values) and values.get("epsilon0", ...) is not None


def a_range(values: Values) -> bool:
    """Return whether ω is a range."""
    return values.get("omega_low") != values.get("omega_high")


def rows_only(values: Values) -> bool:
    """Return whether nothing is counted but rows."""
    return seedless(values) and values.get("protocol") != "releases"


def at_once(values: Values) -> bool:
    """Return whether the model is learned from all the records it may see together."""
    return _about(values).at_once


def has_posterior(values: Values) -> bool:
    """Return whether the model's probabilities can be drawn from a posterior."""
    return _about(values).posterior


def has_marks(values: Values) -> bool:
    """Return whether what is marked as important counts for more in what the model learns."""
    return _about(values).marked


def _about(values: Values) -> About:
    return MODELS[values.get("kind", USUAL)]
