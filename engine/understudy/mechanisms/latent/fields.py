"""The settings of a latent model, as forms and reports name and group them.

What each does is said in the declaration of the plan (`plan`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, Literal

from understudy.mechanisms.derived import DERIVED, derived_fields
from understudy.mechanisms.fields import Field, Group, Table, Values
from understudy.mechanisms.kinds import Choice, Kind, Number, Scale, Share, Whole
from understudy.mechanisms.latent.plan import LatentPlan

MODEL: Final = Group("The model", "The model")
COST: Final = Group("What it may cost", "The promise")
MADE: Final = Group("What is made", "The release")

MODELS: Final = {
    "factors": "Factors",
    "principal": "Principal directions",
    "variational": "A small network",
}

_DERIVED: Final = {each.name: each for each in derived_fields(LatentPlan)}


def _of_moments(values: Values) -> bool:
    return values.get("model") != "variational"


def _field(
    name: str,
    label: str,
    group: Group,
    kind: Kind | None = None,
    stands: Literal["open", "folded"] = "open",
    **more: Any,
) -> Field:
    """Return the field of a setting, as it is derived except for what is given here."""
    found = _DERIVED[name]
    return replace(
        found,
        words=replace(found.words, label=label),
        group=group,
        stands=stands,
        kind=kind or found.kind,
        **more,
    )


TABLE: Final = Table(
    (
        _field("model", "Model", MODEL, Choice(MODELS)),
        _field("width", "Hidden numbers", MODEL, Whole(), applies=_of_moments),
        _field("most_ones", "Flags counted of a record", MODEL, Whole(), applies=_of_moments),
        _field("choose_ones", "Choose how many flags count by a noisy count", MODEL,
               applies=_of_moments),
        _field("epsilon", "ε", COST, Number(Scale(0.1, 10.0), step=0.1)),
        _field("delta", "δ", COST, Number(digits=3)),
        _field("public_records", "Records in the table, publicly known", COST,
               none="Nobody has said"),
        _field("records_per_person", "Records of one person, at most", COST, stands="folded"),
        _field("rows", "Rows to draw", MADE, Whole(Scale(1_000, 1_000_000))),
        _field("held_out", "Share held out, to compare with", MADE, Share(), "folded"),
        _DERIVED["policies"],
    ),
    DERIVED,
)  # fmt: skip
