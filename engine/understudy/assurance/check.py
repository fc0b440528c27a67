"""A check of the audit: its claim, how thoroughly it was tested, and the result."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

TOLERANCE = 1e-13
"""Probabilities are compared up to this relative error, which is what their arithmetic in double
precision may lose."""

MARGIN = 1.25
"""A mutant counts as caught when it exceeds its claim by at least this factor."""

GUARANTEE = "docs/guarantee.md"
"""Where this program's own statements stand, with their proofs."""

MUTANTS = "Mutants, which must be caught"
"""The part of the audit that all mutants are in."""

Kind = Literal["claim", "counter-example", "mutant"]
"""A claim must hold. A counter-example must break its claim, and so must a mutant, which is the
mechanism broken on purpose: an audit that cannot fail is none."""

Verdict = Literal["holds", "broken", "fails, as it must", "caught", "not caught"]


@dataclass(frozen=True)
class Effort:
    """How much to try.

    Attributes:
        times: how many times the usual number of random universes.
        seed: where the random universes start; the same seed tries the same ones.
    """

    times: float = 1.0
    seed: int = 1

    def of(self, usual: int) -> int:
        """Return how many to try of what is usually tried so many times."""
        return max(1, round(usual * self.times))


@dataclass(frozen=True)
class MeasuredValue:
    """How closely a claim was put to the test.

    Attributes:
        cases: how many pairs of neighbours, or other cases, were tried.
        worst: the largest divergence found, as a multiple of what is claimed: above 1 the claim
            is false, at 1 it is attained.
        at: the case with the largest divergence, in words.
    """

    cases: int
    worst: float
    at: str = ""

    def __or__(self, other: MeasuredValue) -> MeasuredValue:
        """Return both together."""
        # What is not a number counts as worse than any.
        worse = other if self.worst < other.worst or math.isnan(other.worst) else self
        return MeasuredValue(self.cases + other.cases, worse.worst, worse.at)


NOTHING = MeasuredValue(0, 0.0)
"""Nothing tried yet."""


@dataclass(frozen=True)
class Check:
    """A claim that can be put to the test by computing.

    Attributes:
        part: which part of the product it is about.
        name: what is claimed of what, in a few words.
        claim: the statement, as a formula or a sentence.
        source: where the statement stands and is proved.
        measure: puts it to the test.
        kind: whether the claim has to hold, or to turn out false.
    """

    part: str
    name: str
    claim: str
    source: str
    measure: Callable[[Effort], MeasuredValue]
    kind: Kind = "claim"

    @classmethod
    def mutant(cls, name: str, what: str, measure: Callable[[Effort], MeasuredValue]) -> Check:
        """Return a mutant: what is broken, in a few words and in full, and what puts it to the
        test."""
        return cls(MUTANTS, name, what, "against what holds unbroken", measure, "mutant")

    def find(self, effort: Effort) -> CheckFinding:
        """Put the claim to the test."""
        return CheckFinding(self, self.measure(effort))


@dataclass(frozen=True)
class CheckFinding:
    """A check, and what came of it."""

    check: Check
    measured: MeasuredValue

    @property
    def verdict(self) -> Verdict:
        """Whether a claim stands, a counter-example breaks it, a mutant is caught."""
        measured = self.measured
        if self.check.kind == "claim":
            return "holds" if measured.cases and measured.worst <= 1 + TOLERANCE else "broken"
        if not measured.worst >= MARGIN:
            return "not caught"
        return "caught" if self.check.kind == "mutant" else "fails, as it must"

    @property
    def passed(self) -> bool:
        """Whether that is as it has to be."""
        return self.verdict not in ("broken", "not caught")
