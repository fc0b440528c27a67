"""What a third-party model says of itself: the part of it that stands in a plan."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from engine.core.refusal import Refusal
from engine.core.validation import Frozen

Words = Annotated[str, Field(min_length=1, max_length=500)]


class Claim(Frozen, what="the third-party model's claim"):
    """What a third-party model says of itself, before it has seen a record.

    Attributes:
        name: what it is installed as.
        source: who stands behind its guarantee, and where that is argued.
        covers: what the guarantee covers: between which tables, and what it leaves out.
    """

    name: Annotated[str, Field(min_length=1, max_length=100)]
    source: Words
    covers: Words


def refusal(
    problem: str, remedy: str = "Tell whoever made it, or choose another model."
) -> Refusal:
    """That a third-party model cannot be used."""
    return Refusal(problem, remedy, field="model")
