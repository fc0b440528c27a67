"""A transcript of the noisy queries of a learner or a run with their answers, and the cost of
each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Literal
from unittest import mock

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.privacy import gaussian
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource

Law = Literal["geometric", "Gaussian", "permute and flip", "exponential"]


@dataclass(frozen=True, eq=False)
class NoiseQuery:
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

    def cost(self, other: NoiseQuery) -> float:
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


def costs(one: Sequence[NoiseQuery], other: Sequence[NoiseQuery], *, pure: bool) -> float:
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
        self.asked: list[NoiseQuery] = []
        self.answers: list[IntArray] = []
        self._given = None if answers is None else iter(answers)
        self._drawn = drawn

    def integers(self, values: IntArray, scale: float) -> IntArray:
        """Geometric noise, or the answer that is given."""
        return self._answer("geometric", values, scale, super().integers)

    def gaussians(self, values: IntArray, scale: float) -> IntArray:
        """Gaussian noise, or the answer that is given."""
        return self._answer("Gaussian", values, scale, super().gaussians)

    def choose_best(self, scores: IntArray, scale: float, *, concentrated: bool) -> int:
        """Return a choice, or the one that is given."""
        law: Law = "exponential" if concentrated else "permute and flip"
        choose = partial(super().choose_best, concentrated=concentrated)
        made = self._answer(law, scores, scale, lambda *each: np.array([choose(*each)]))
        return int(made[0])

    def _answer(
        self, law: Law, values: IntArray, scale: float, draw: Callable[[IntArray, float], IntArray]
    ) -> IntArray:
        question = NoiseQuery(law, np.array(values, dtype=np.int64), scale)
        thinned = replace(question, scale=self._drawn * scale)
        self.asked.append(question if question.choice else thinned)
        given = None if self._given is None else next(self._given, None)
        # Those who ask other questions than were answered have been found out already.
        answer = given if given is not None and question.takes(given) else draw(values, scale)
        self.answers.append(answer)
        return answer


_LAWS: Final[dict[str, Law]] = {
    "integers": "geometric",
    "gaussians": "Gaussian",
    "flipped": "permute and flip",
    "concentrated": "exponential",
}
"""What a tape calls each law."""
_ALIKE: Final = 1e-9


@dataclass(eq=False)
class RealDraws:
    """A tape that writes down every question, with the scale that OpenDP really drew at.

    Attributes:
        given: the noisy answers to give, question by question; what there is none for is drawn.
        asked: every question.
        answers: every noisy answer, noise included.
        amiss: what was drawn otherwise than the tape was told, or beside it, in words.
        silent: whether OpenDP adds nothing, where answers are given or of no use.
    """

    given: Iterator[IntArray]
    asked: list[NoiseQuery] = field(default_factory=list)
    answers: list[IntArray] = field(default_factory=list)
    amiss: list[str] = field(default_factory=list)
    silent: bool = False
    _drawn: list[tuple[Any, IntArray]] = field(default_factory=list)
    _told: int = 0

    @classmethod
    def from_answers(cls, given: Iterable[IntArray] = (), *, silent: bool = False) -> RealDraws:
        """Return a tape that gives these answers first."""
        return cls(iter(given), silent=silent)

    def draw_answer(
        self, what: str, values: IntArray, scale: float, draw: Callable[[], IntArray]
    ) -> IntArray:
        """Return noise as `Tape` does, such that the answer comes out as it is given."""
        law = _LAWS[what]
        before = len(self._drawn)
        noise = draw()
        self._told += len(self._drawn) - before
        question = NoiseQuery(law, values.copy(), self._scale(law, values, scale, before))
        return self._answer(question, noise)

    @contextmanager
    def listen(self) -> Iterator[None]:
        """Listen to all that is drawn meanwhile."""
        import opendp.core as opendp

        usual = opendp.measurement_invoke

        def heard(this: Any, arg: Any) -> Any:
            self._drawn.append((this, np.array(arg)))
            if not self.silent:
                return usual(this, arg)
            return 0 if str(this.input_metric).startswith("LInf") else arg

        with (
            mock.patch.object(opendp, "measurement_invoke", heard),
            mock.patch.object(gaussian, "add_noise", self._add_noise),
        ):
            yield
        if self._told < len(self._drawn):
            self.amiss.append("noise was drawn that is on no tape")

    def _scale(self, law: Law, values: IntArray, scale: float, before: int) -> float:
        """Return the scale that OpenDP drew at."""
        heard = self._drawn[before:]
        if len(heard) != 1 or not np.array_equal(heard[0][1], values):
            self.amiss.append(f"{law} noise is on other values than the tape was told")
            return scale
        real = _scale_of(law, heard[0][0])
        if not math.isclose(real, scale, rel_tol=_ALIKE):
            self.amiss.append(f"{law} noise of scale {real:g} is on the tape as of {scale:g}")
        return real

    def _answer(self, question: NoiseQuery, noise: IntArray) -> IntArray:
        self.asked.append(question)
        choice = question.choice
        answer = next(self.given, None)
        if answer is None or not question.takes(answer):
            answer = noise if choice else question.values + noise
        self.answers.append(answer)
        return answer if choice else answer - question.values

    def _add_noise(self, values: IntArray, bits: int, source: RandomSource) -> IntArray:
        """Add noise as `gaussian.add_noise` does, which follows from the secret and is on no
        tape."""
        noise = gaussian.discrete_gaussians(len(values), bits, source)
        question = NoiseQuery("Gaussian", values.copy(), 2.0**bits)
        return values + self._answer(question, noise)


def _scale_of(law: Law, measurement: Any) -> float:
    """Return the scale of a measurement, by its own privacy map."""
    match law:
        case "geometric":
            return 1 / float(measurement.map(1))
        case "Gaussian":
            return 1 / math.sqrt(2 * float(measurement.map(1.0)))
        case "permute and flip":
            return 2 / float(measurement.map(1))
        case "exponential":
            return 1 / math.sqrt(2 * float(measurement.map(1)))
