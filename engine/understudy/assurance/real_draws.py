"""What a run really draws: every question that it puts to noise, and whether its tape has them all.

A run asks OpenDP by way of its tape, and the steps of a network's training draw from the run's own
source. Here both are listened to where they ask. What is written down is not what a run says that
it draws, but what OpenDP was asked for: its own privacy map tells the scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from unittest import mock

import numpy as np

from understudy.assurance.transcript import Law, Question
from understudy.core.arrays import IntArray
from understudy.privacy import gaussian
from understudy.privacy.randomness import RandomSource

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
    asked: list[Question] = field(default_factory=list)
    answers: list[IntArray] = field(default_factory=list)
    amiss: list[str] = field(default_factory=list)
    silent: bool = False
    _drawn: list[tuple[Any, IntArray]] = field(default_factory=list)
    _told: int = 0

    @classmethod
    def from_answers(cls, given: Iterable[IntArray] = (), *, silent: bool = False) -> RealDraws:
        """Return a tape that gives these answers first."""
        return cls(iter(given), silent=silent)

    def drawn(self, what: str, values: IntArray, scale: float, draw: Callable[[], IntArray]) -> IntArray:
        """Return noise as `Tape` does, such that the answer comes out as it is given."""
        law = _LAWS[what]
        before = len(self._drawn)
        noise = draw()
        self._told += len(self._drawn) - before
        question = Question(law, values.copy(), self._scale(law, values, scale, before))
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

    def _answer(self, question: Question, noise: IntArray) -> IntArray:
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
        question = Question("Gaussian", values.copy(), 2.0**bits)
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
