"""The plan of a latent model that a custodian begins with."""

from __future__ import annotations

from typing import Final

from understudy.mechanisms.latent.plan import LatentPlan
from understudy.models.latent.features import Features
from understudy.table.pictures.declared import are_pictures
from understudy.table.schema import Schema

_WIDTHS: Final = ((100, 20), (60, 10), (10, 4))
"""From so many columns on, so many hidden numbers (docs/models.md)."""
_ONES: Final = 18
"""Flags counted of a record: where most records had more, all shares would come out too small."""
_PICTURES: Final = 16
"""So many directions of pictures."""


def opening(schema: Schema) -> LatentPlan:
    """Factors, as many as tables of so many columns were measured to do best with; of pictures,
    principal directions, whose pixels go together as light and shapes do.

    Raises:
        Refusal: a column is neither a flag nor a number.
    """
    flags, columns = len(Features.of(schema).flags), len(schema)
    pictures = are_pictures(schema)
    width = next((many for least, many in _WIDTHS if columns >= least), 2)
    people = schema.people
    return LatentPlan(
        domain=schema.fingerprint,
        model="principal" if pictures else "factors",
        width=min(_PICTURES if pictures else width, columns - 1),
        most_ones=max(1, min(_ONES, flags)),
        records_per_person=1 if people is None else people.records_at_most,
    )
