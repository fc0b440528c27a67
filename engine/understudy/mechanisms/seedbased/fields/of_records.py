"""Which records serve what, and what becomes of stray values."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from understudy.core.numerals import percent
from understudy.mechanisms.fields import Field, Option, Place, Values, Words
from understudy.mechanisms.kinds import Text
from understudy.mechanisms.policies import POLICIES
from understudy.mechanisms.seedbased.fields.groups import RECORDS, at_once, seedless

_SHARES: Final = (
    Place("seeds", "shares.seeds", "Share of records that are seeds", "Seeds"),
    Place("structure", "shares.structure", "Share that shows the structure", "Structure"),
    Place("parameters", "shares.parameters", "Share that shows the parameters", "Parameters"),
    Place("held_out", "shares.held_out", "Share held out", "Held out"),
)


def _show_shares(values: Values) -> str:
    return " · ".join(percent(values[place.name]) for place in _SHARES)


THE_RECORDS: Final = (
    Field(
        name="shares",
        words=Words(
            label="Shares of the records",
            meaning="Seeds, structure, parameters, held out to compare with. A coin decides for "
            "each record.",
            help="Each record goes to one of four parts by a coin of its own: seeds for "
            "candidates, records that show which columns depend on which, records that show how, "
            "and records held out to compare with. The calibrated model is learned from the two "
            "middle parts together. A plan that copies nothing needs no seeds.",
        ),
        kind=Text(),
        group=RECORDS,
        places=_SHARES,
        unit="S,T,P,H",
        option=Option(
            "The chance that a record serves as a seed, for the structure, for the parameters, or "
            "is held out; together 1 (default 0.3,0.3,0.3,0.1)."
        ),
        stands="folded",
        variants=(
            (
                seedless,
                Words(
                    label="Shares of the records",
                    meaning="Left aside, structure, parameters, held out to compare with. A coin "
                    "decides for each record.",
                ),
            ),
            (
                at_once,
                Words(
                    label="Shares of the records",
                    meaning="Seeds, structure, parameters, held out to compare with. A coin "
                    "decides for each record. The model is learned from the two middle parts "
                    "together.",
                ),
            ),
        ),
        shown=_show_shares,
    ),
    replace(POLICIES, group=RECORDS),
)
