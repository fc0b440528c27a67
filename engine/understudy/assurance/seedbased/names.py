"""What the tests, their formulas and their sources are called in the audit's table."""

from __future__ import annotations

from collections.abc import Mapping

from understudy.privacy.plausibility.privacy_test import TestKind

NAMES: Mapping[TestKind, str] = {
    "plausible-deniability": "plausible deniability",
    "relative-sensitivity": "relative sensitivity",
}

EPSILON: Mapping[TestKind, str] = {
    "plausible-deniability": "ε0 + ln(1 + γ/t)",
    "relative-sensitivity": "ε0 + ln(1 + 1/t)",
}
"""ε of one attempt."""

CONSTANT: Mapping[TestKind, str] = {
    "plausible-deniability": "½",
    "relative-sensitivity": "1/(1 + e^−ε0)",
}
"""The factor that the law of the noise spares in δ."""

TAIL = "e^(−ε0(k − t))"
"""δ of one attempt as published."""
