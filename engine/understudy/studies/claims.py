"""Sentences of a published text about its numbers, and whether they hold here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from understudy.studies.document import Section

_TITLE: Final = "What the text says, and whether it holds here"


@dataclass(frozen=True)
class Claim:
    """A sentence of the published text, held against what was found.

    Attributes:
        said: the sentence, in our words.
        source: where it stands.
        ours: what was found, in words.
        holds: whether it holds here; None where that could not be found out.
        rule: by what it is decided, where the sentence itself leaves that open.
        because: why it does not hold, or what has to be known where it does; may be empty.
    """

    said: str
    source: str
    ours: str
    holds: bool | None
    rule: str = ""
    because: str = ""

    @property
    def verdict(self) -> str:
        """Return whether the claim is reproduced, in words."""
        return {True: "reproduced", False: "not reproduced", None: "not found out"}[self.holds]

    @property
    def paragraph(self) -> str:
        """Return the claim, its rule, our figures and the verdict as a paragraph."""
        rule = f" (Decided as: {self.rule}.)" if self.rule else ""
        ours = f" Here: {self.ours}" if self.ours else ""
        because = f": {self.because}" if self.because else ""
        return f"{self.source}: {self.said}{rule}{ours} {self.verdict.capitalize()}{because}."


def claims_section(claims: Sequence[Claim], *, judged: bool) -> Section:
    """Return every claim with its verdict, to be read.

    Args:
        claims: in their order.
        judged: whether the evaluation was run at a size at which they can be judged; if not, that
            is all that is said of them.
    """
    if not judged:
        return Section(
            _TITLE,
            (
                f"The text makes {len(claims)} claims about its numbers. This run is smaller than "
                "the published one and judges none of them; the full one does.",
            ),
        )
    held = sum(each.holds is True for each in claims)
    counted = f"{held} of {len(claims)} claims are reproduced."
    return Section(_TITLE, (counted, *(each.paragraph for each in claims)))


def claims_data(claims: Sequence[Claim], *, judged: bool) -> list[dict[str, Any]]:
    """Return the claims as plain values; none if nothing is judged."""
    return [{**asdict(each), "verdict": each.verdict} for each in claims] if judged else []
