"""The settings of a plan of scored candidates, with those of each proposer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from understudy.core.numerals import significant
from understudy.mechanisms.fields import Field, FieldTable, Place, holds
from understudy.mechanisms.kinds import Choice
from understudy.mechanisms.plan_fields import derive_fields
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.mechanisms.scored.proposers import OWN, list_installed, proposer_settings
from understudy.mechanisms.setting import OTHERS

_PROPOSER: Final = "proposer"
_TITLES: Final = {
    "redrawn": "Redrawn",
    "projected": "Projected",
    "projection": "Projection of flags",
    "latent-noise": "Latent noise on flags",
    "factor-noise": "Latent noise over factors",
    "network-noise": "Latent noise over a network",
}


def fields() -> FieldTable:
    """Return a field for each setting of the plan; the proposers are those that are there, each
    with settings of its own."""
    found = derive_fields(ScoredPlan)
    own: list[Field] = []
    for each in found:
        if each.name == "numbers":
            own += _of_proposers()
        elif each.name == _PROPOSER:
            names = (*OWN, *list_installed())
            kind = Choice({name: _TITLES.get(name, name) for name in names})
            places = tuple(replace(at, taken=kind.noun) for at in each.places)
            own.append(replace(each, kind=kind, places=places))
        else:
            own.append(each)
    return FieldTable(tuple(own), found.derived)


def _of_proposers() -> Iterator[Field]:
    """Yield the settings of every proposer, each while it is chosen."""
    for proposer in (*OWN, *list_installed()):
        for each in proposer_settings(proposer):
            name = f"{proposer}.{each.name}"
            yield Field(
                name=name,
                words=each.words,
                kind=each.kind,
                group=OTHERS,
                places=(
                    Place(
                        name,
                        f"numbers.{each.name}",
                        taken=each.range,
                        default=significant(each.usual),
                    ),
                ),
                usual=each.usual,
                told=True,
                applies=holds(_PROPOSER, proposer),
                only_where_used=True,
            )
