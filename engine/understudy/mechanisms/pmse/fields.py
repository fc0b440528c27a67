"""The settings of the pMSE mechanism, as forms and reports name and group them.

What each does is said in the declaration of the plan (`plan`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, Literal

from understudy.mechanisms.derived import DERIVED, derived_fields
from understudy.mechanisms.fields import Field, Group, Table, Values
from understudy.mechanisms.kinds import Choice, Kind, Number, Share
from understudy.mechanisms.pmse.plan import PmsePlan

COST: Final = Group("What it may cost", "The promise")
RELEASED: Final = Group("What is released", "The release")
MODEL: Final = Group("The model", "The model")
SCORE: Final = Group("What tells real records from made ones", "The score")
SEARCH: Final = Group("The search", "The search")

_DERIVED: Final[Mapping[str, Field]] = {each.name: each for each in derived_fields(PmsePlan)}


def _where(name: str, value: object) -> Callable[[Values], bool]:
    return lambda values: values.get(name) == value


def _field(
    name: str,
    label: str,
    group: Group,
    stands: Literal["open", "folded"] = "open",
    **more: Any,
) -> Field:
    found = _DERIVED[name]
    return replace(
        found, words=replace(found.words, label=label), group=group, stands=stands, **more
    )


def _choice(**words: str) -> Kind:
    return Choice({name.replace("_", "-"): said for name, said in words.items()})


TABLE: Final = Table(
    (
        _field("epsilon", "ε of choosing the models", COST),
        _field(
            "accounting",
            "How choices are added up",
            COST,
            kind=_choice(pure="Their ε, and no δ", concentrated="Their ρ, with a δ"),
        ),
        _field("delta", "δ", COST, applies=_where("accounting", "concentrated"),
               kind=Number(digits=3)),
        _field("public_records", "Records in the table, publicly known", COST),
        _field("records_per_person", "Records of one person, at most", COST, "folded"),
        _field("rows", "Records of each synthetic table", RELEASED),
        _field("draws", "Models", RELEASED, "folded"),
        _field("held_out", "Share held out, to compare with", RELEASED, "folded", kind=Share()),
        _field("order", "Order of the columns", MODEL, none="As in the table"),
        _field("depends", "Columns that each depends on, at most", MODEL),
        _field("logarithmic", "Columns by their logarithm", MODEL, none="No column"),
        _field("middles", "Where middles publicly lie, by column", MODEL, "folded"),
        _field("narrowest", "Least spread, as a share of the range", MODEL, "folded"),
        _field(
            "partitions",
            "Partitions",
            SCORE,
            kind=_choice(
                crossed="Every pair of columns, bin by bin",
                depth_two="The best tree of depth two",
                stump="The best single cut",
                forest="The best of some random trees",
                guillotine="The best cuts from edge to edge",
            ),
        ),
        _field("bins", "Bins of a column of numbers", SCORE),
        _field("price", "Price of a leaf, in records", SCORE,
               applies=_where("partitions", "guillotine")),
        _field("ratio", "Made records for one real one", SCORE, "folded"),
        _field("candidates", "Candidates in each round", SEARCH),
        _field(
            "search",
            "How candidates are looked for",
            SEARCH,
            kind=_choice(columns="Column by column, then together", whole="All at once"),
        ),
        _field("rounds", "Rounds of refining", SEARCH, "folded"),
        _field("locating", "Share of the cost for locating", SEARCH, "folded", kind=Share(),
               applies=_where("search", "columns")),
        _field("seed", "Public seed of the candidates", SEARCH, "folded"),
        _DERIVED["policies"],
    ),
    DERIVED,
)  # fmt: skip
