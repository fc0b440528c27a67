"""Which arguments answer a refusal of the engine, as the engine knows nothing of arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from understudy.core.refusal import Refusal
from understudy.ledger.people import SIMILAR_PEOPLE, UNKNOWN_PEOPLE
from understudy.table.authoring.declaration import SEVERAL_ROWS

ANSWERS: Final[Mapping[str, str]] = {
    UNKNOWN_PEOPLE: "new_people=True, or dataset=NAME",
    SIMILAR_PEOPLE: "dataset=NAME, or new_people=True with because=REASON",
    SEVERAL_ROWS: (
        "person=, order= and most_per_person= of suggest_schema, or single_rows=True of declare"
    ),
    "schema": "schema = declare(schema, table, note=…)",
}
"""By the field of a refusal, the arguments that answer it."""


@contextmanager
def naming_arguments(answers: Mapping[str, str] = ANSWERS) -> Iterator[None]:
    """Add to a refusal the arguments that answer it.

    Args:
        answers: by the field of the refusal.

    Raises:
        Refusal: what was refused, with these arguments.
    """
    try:
        yield
    except Refusal as refusal:
        said = answers.get(refusal.field or "")
        if said is None:
            raise
        raise Refusal(
            refusal.problem, f"{refusal.remedy} In Python: {said}.", field=refusal.field
        ) from None
