"""A transcript of the noisy queries of a learner with their answers, and the cost of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource

Law = Literal["geometric", "Gaussian", "permute and flip", "exponential"]


@dataclass(frozen=True, eq=False)
class Question:
    """One thing that was asked of the noise.

    Attributes:
        law: of the noise, or of the choice.
        values: the exact values, or scores.
        scale: as the noise takes it.
    """

    law: Law
    values: IntArray
    scale: float

    @property
    def choice(self) -> bool:
        """Whether it is a choice, and not a number with noise."""
        return self.law in ("permute and flip", "exponential")

    @property
    def pure(self) -> bool:
        """Whether it costs ε, and not ρ."""
        return self.law in ("geometric", "permute and flip")

    def takes(self, answer: IntArray) -> bool:
        """Return whether it could be answered so."""
        if self.choice:
            return int(answer[0]) < len(self.values)
        return answer.shape == self.values.shape

    def cost(self, other: Question) -> float:
        """Return what telling the two sets of values apart costs: ε of a pure law, else ρ; infinite
        for two different questions."""
        alike = self.law == other.law and self.scale == other.scale
        if not alike or self.values.shape != other.values.shape:
            return math.inf
        moved = np.abs(self.values - other.values).astype(float) / self.scale
        return self._cost(moved)

    def at_most(self, sensitivity: float) -> float:
        """Return what it costs if one record moves one value by so much."""
        return self._cost(np.array([sensitivity / self.scale]))

    def _cost(self, moved: FloatArray) -> float:
        match self.law:
            case "geometric":
                return float(moved.sum())
            case "Gaussian":
                return float((moved**2).sum()) / 2
            case "permute and flip":
                return 2 * float(moved.max())
            case "exponential":
                return float(moved.max()) ** 2 / 2


def costs(one: Sequence[Question], other: Sequence[Question], *, pure: bool) -> float:
    """Return what telling two transcripts of the same answers apart costs: ε where all questions
    are of a pure law, or else ρ, of which a question of ε costs ε²/2 (Bun and Steinke 2016,
    Proposition 1.4); infinite where they are not the same questions."""
    if len(one) != len(other) or (pure and not all(each.pure for each in one)):
        return math.inf
    each = [first.cost(second) for first, second in zip(one, other, strict=True)]
    if pure:
        return math.fsum(each)
    asked = zip(one, each, strict=True)
    return math.fsum(cost**2 / 2 if question.pure else cost for question, cost in asked)


class Transcript(Noise):
    """Stands in for the noise, and keeps every question and answer.

    Args:
        source: what answers are drawn from.
        answers: what to answer instead, in turn.
        drawn: how much of the noise that is asked for is drawn, for a mutant.

    Attributes:
        asked: every question.
        answers: every answer.
    """

    def __init__(
        self, source: RandomSource, answers: Iterable[IntArray] | None = None, drawn: float = 1.0
    ) -> None:
        super().__init__(source)
        self.asked: list[Question] = []
        self.answers: list[IntArray] = []
        self._given = None if answers is None else iter(answers)
        self._drawn = drawn

    def integers(self, values: IntArray, scale: float) -> IntArray:
        """Geometric noise, or the answer that is given."""
        return self._answer("geometric", values, scale, super().integers)

    def gaussians(self, values: IntArray, scale: float) -> IntArray:
        """Gaussian noise, or the answer that is given."""
        return self._answer("Gaussian", values, scale, super().gaussians)

    def best(self, scores: IntArray, scale: float, *, concentrated: bool) -> int:
        """Return a choice, or the one that is given."""
        law: Law = "exponential" if concentrated else "permute and flip"
        choose = partial(super().best, concentrated=concentrated)
        made = self._answer(law, scores, scale, lambda *each: np.array([choose(*each)]))
        return int(made[0])

    def _answer(
        self, law: Law, values: IntArray, scale: float, draw: Callable[[IntArray, float], IntArray]
    ) -> IntArray:
        question = Question(law, np.array(values, dtype=np.int64), scale)
        thinned = replace(question, scale=self._drawn * scale)
        self.asked.append(question if question.choice else thinned)
        given = None if self._given is None else next(self._given, None)
        # Those who ask other questions than were answered have been found out already.
        answer = given if given is not None and question.takes(given) else draw(values, scale)
        self.answers.append(answer)
        return answer
