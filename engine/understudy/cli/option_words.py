"""Which options answer a refusal of the engine, as the engine knows nothing of options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from understudy.core.refusal import Refusal
from understudy.ledger.people import SIMILAR_PEOPLE, UNKNOWN_PEOPLE

PEOPLE_OPTIONS: Final[Mapping[str, str]] = {
    UNKNOWN_PEOPLE: "--new-people, or --dataset NAME; `understudy ledger` lists the datasets",
    SIMILAR_PEOPLE: "--dataset NAME, or --new-people --because REASON",
}
"""By the field of a refusal, the options that say whose records a table holds."""


@contextmanager
def naming_options(options: Mapping[str, str]) -> Iterator[None]:
    """Add to a refusal the options that answer it.

    Args:
        options: by the field of the refusal.

    Raises:
        Refusal: what was refused, with these options.
    """
    try:
        yield
    except Refusal as refusal:
        said = options.get(refusal.field or "")
        if said is None:
            raise
        raise Refusal(
            refusal.problem, f"{refusal.remedy} On the command line: {said}.", field=refusal.field
        ) from None
