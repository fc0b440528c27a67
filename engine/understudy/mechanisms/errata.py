"""What is wrong in a publication that a method follows: every statement, by how much, and what is
right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

Verdict = Literal["unsafe", "strict", "loose", "proves nothing", "wrong", "a misprint"]

VERDICTS: Final[dict[Verdict, str]] = {
    "unsafe": "more is promised than holds",
    "strict": "what is said to be needed is not",
    "loose": "it holds, with a proof that does not or far from what is enough",
    "proves nothing": "the proof does not reach the statement",
    "wrong": "it does not hold, and no privacy rests on it",
    "a misprint": "a slip of the pen or of the printer",
}
"""What follows from believing a statement."""

PAPER: Final = (
    "V. Bindschaedler, R. Shokri and C. A. Gunter, Plausible Deniability for Privacy-Preserving "
    "Data Synthesis, 2017 (extended version)"
)
DISSERTATION: Final = (
    "V. Bindschaedler, Privacy-Preserving Seedbased Data Synthesis, dissertation, 2018"
)
THESIS: Final = "S. Zheng, The Differential Privacy of Bayesian Inference, thesis, 2015"
PMSE: Final = (
    "J. Snoke and A. Slavković, pMSE Mechanism: Differentially Private Synthetic Data with Maximal "
    "Distributional Similarity, 2018"
)
SOURCES: Final = (PAPER, DISSERTATION, THESIS, PMSE)
"""The publications, in the order in which they are told of."""


@dataclass(frozen=True)
class Erratum:
    """A printed statement that is wrong.

    Attributes:
        number: where it stands in the source.
        prints: what it says.
        wrong: what is wrong with it.
        instead: what is right.
        verdict: what follows from using it, see `VERDICTS`.
        figure: what `excess` compares, and in which case; without `excess`, how it was checked.
        excess: by how many times the true figure exceeds the printed one where that is unsafe, or
            the printed one what is needed where it is strict or loose; elsewhere, by how many
            times one of the two exceeds the other. None where there is nothing to compute.
    """

    number: str
    prints: str
    wrong: str
    instead: str
    verdict: Verdict
    figure: str
    excess: Callable[[], float] | None

    def factor(self) -> float | None:
        """Return by how many times one figure exceeds the other; None if nothing is computed."""
        return None if self.excess is None else self.excess()


@dataclass(frozen=True)
class Errata:
    """What is wrong in a part of one source.

    Attributes:
        source: the publication.
        part: of it, such as its chapters; "" for all of it.
        errata: every statement, in the order of the source.
    """

    source: str
    part: str
    errata: tuple[Erratum, ...]
