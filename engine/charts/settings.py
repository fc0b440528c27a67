"""The settings of a plan as a person reads them, in legends, tables and sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

SETTINGS: Final[Mapping[str, str]] = {
    "k": "k",
    "epsilon0": "ε0",
    "gamma": "γ",
    "omega": "ω",
    "test": "test",
    "attempts": "N",
    "records": "m",
    "model_epsilon": "ε of the model",
}
"""Their short names."""

TESTS: Final[Mapping[str, str]] = {
    "relative-sensitivity": "Relative sensitivity",
    "plausible-deniability": "Plausible deniability",
}


_LABELS: Final[Mapping[str, str]] = {
    "test.kind": "How plausible seeds are counted",
    "test.k": "k, plausible seeds needed",
    "test.gamma": "γ, how alike “plausible” is",
    "test.epsilon0": "ε0, spent on blurring k",
    "omega.low": "ω, columns drawn afresh, at least",
    "omega.high": "ω, columns drawn afresh, at most",
    "omega.reading": "Whether ω is hidden",
    "protocol": "What a reader sees",
    "attempts": "N, attempts or records planned",
    "pass_floor": "Share sure to pass",
    "records_per_person": "Records per person, at most",
    "delta": "δ of the total",
    "seeds_at_least": "Seed records counted on",
    "t": "t, where the proof splits ε and δ",
    "model.kind": "Model",
    "model.epsilon": "ε of the model",
    "model.estimate": "How the model's tables are read",
    "model.outside": "Third-party model",
    "model.outside.name": "Third-party model",
    "model.outside.source": "Who stands behind the third-party model",
    "model.outside.covers": "What the third-party model's promise covers",
    "shares.seeds": "Share of records that are seeds",
    "shares.structure": "Share that shows the structure",
    "shares.parameters": "Share that shows the parameters",
    "shares.held_out": "Share held out",
    "sampling": "Chance of having got into the table",
}
MODELS: Final[Mapping[str, str]] = {
    "calibrated": "calibrated model",
    "network": "published network",
    "marginals": "independent columns",
    "outside": "third-party model",
}
"""Each model by its name."""
_POLICIES: Final = "policies."
_WORDS: Final[Mapping[str, str]] = {
    "attempts": "every attempt",
    "releases": "the released records only",
    **MODELS,
    **TESTS,
}


def labelled(name: str) -> str:
    """What a setting of a plan file is called, by its dotted name."""
    if name.startswith(_POLICIES):
        return f"Values outside the schema, {name.removeprefix(_POLICIES)}"
    return _LABELS.get(name, name)


def printed(name: str, value: Any) -> str:
    """The value of a setting of a plan file, as a person reads it."""
    if value is None:
        return {"t": "automatic", "model.epsilon": "no noise"}.get(name, "none")
    if isinstance(value, str):
        return _WORDS.get(value, value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"


def ranged(text: str) -> str:
    """A range of ω, or the name of a table made with one, with a dash as it is printed."""
    return re.sub(r"(?<=\d)-(?=\d)", "–", text)


def setting(name: str, value: Any) -> str:
    """The value of a setting of a plan, as a person reads it."""
    if value is None:
        return "none" if name == "gamma" else "no noise"
    if name == "test":
        return TESTS[value]
    if name == "omega":
        announced = not value.fixed and value.reading == "announced"
        return ranged(str(value)) + (", announced" if announced else "")
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"
