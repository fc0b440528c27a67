"""The claim of a third-party model about itself, as a plan holds it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen

Words = Annotated[str, Field(min_length=1, max_length=500)]


class Claim(Frozen, what="the third-party model's claim"):
    """What a third-party model states about itself before it has seen a record.

    Attributes:
        name: the entry point that it is installed as.
        source: who stands behind its guarantee, and where that is argued.
        covers: what the guarantee covers: between which tables, and what it leaves out.
    """

    name: Annotated[str, Field(min_length=1, max_length=100)]
    source: Words
    covers: Words


def refusal(
    problem: str, remedy: str = "Tell whoever made it, or choose another model."
) -> Refusal:
    """Return the refusal of a third-party model that cannot be used."""
    return Refusal(problem, remedy, field="model")
