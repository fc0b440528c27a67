"""A plan of the pMSE mechanism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, Literal

from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import FieldGroup, holds
from understudy.mechanisms.kinds import Choice, Number, Share
from understudy.mechanisms.plan import (
    ColumnName,
    Delta,
    Epsilon,
    HeldOut,
    MechanismPlan,
    RecordsKnown,
    RecordsPerPerson,
)
from understudy.mechanisms.setting import COST, MODEL, declare_setting
from understudy.table.domain import range_of
from understudy.table.schema import Schema

RELEASED: Final = FieldGroup("What is released", "The release")
SCORE: Final = FieldGroup("What tells real records from made ones", "The score")
SEARCH: Final = FieldGroup("The search", "The search")


class PmsePlan(MechanismPlan, what="the plan"):
    """Everything a run needs besides the table and its schema."""

    kind: ClassVar[str] = "pmse"
    form_groups: ClassVar[tuple[FieldGroup, ...]] = (COST, RELEASED, MODEL, SCORE, SEARCH)

    epsilon: Epsilon = declare_setting(
        1.0,
        "ε of choosing the models",
        "ε for one record: what choosing the models may cost.",
        group=COST,
    )
    delta: Delta = declare_setting(
        1e-9,
        "δ",
        "δ for one record. It is spent only where the accounting is concentrated.",
        group=COST,
        after="accounting",
        applies=holds("accounting", "concentrated"),
        kind=Number(digits=3),
    )
    accounting: Literal["pure", "concentrated"] = declare_setting(
        "pure",
        "How choices are added up",
        "How the choices are added up. Pure adds their ε, and δ stays 0. Concentrated "
        "adds them by zero-concentrated differential privacy, which is more for the same ε where "
        "there are many columns or several models, and spends δ.",
        group=COST,
        kind=Choice({"pure": "Their ε, and no δ", "concentrated": "Their ρ, with a δ"}),
    )
    public_records: RecordsKnown | None = declare_setting(
        None,
        "Records in the table, publicly known",
        "How many records the table has. The guarantee compares tables of this number "
        "of records, so it has to be public knowledge.",
        group=COST,
    )
    rows: int = declare_setting(
        5000,
        "Records of each synthetic table",
        "How many records each synthetic table gets. More cost nothing.",
        group=RELEASED,
        ge=1,
        le=10**7,
    )
    draws: int = declare_setting(
        1,
        "Models",
        "How many models are chosen, each with a table of its own. They share ε; one "
        "model gets all of it and is nearly always better.",
        group=RELEASED,
        ge=1,
        le=20,
        stands="folded",
    )
    partitions: Literal["crossed", "depth-two", "stump", "forest", "guillotine"] = declare_setting(
        "crossed",
        "Partitions",
        "What tells real records from made ones: all bins of two columns crossed, as "
        "the mean over pairs; the best tree of depth two; the best single cut; the best of some "
        "random trees; or the best partition by cuts from edge to edge. None of them is grown "
        "from the records, so that each has an exact sensitivity.",
        group=SCORE,
        kind=Choice(
            {
                "crossed": "Every pair of columns, bin by bin",
                "depth-two": "The best tree of depth two",
                "stump": "The best single cut",
                "forest": "The best of some random trees",
                "guillotine": "The best cuts from edge to edge",
            }
        ),
    )
    bins: int = declare_setting(
        8,
        "Bins of a column of numbers",
        "In how many bins a column of numbers may be cut.",
        group=SCORE,
        ge=2,
        le=64,
    )
    price: int = declare_setting(
        5,
        "Price of a leaf, in records",
        "What a leaf of a guillotine partition costs its score, in records. Without a "
        "price the finest partition always scores best.",
        group=SCORE,
        ge=0,
        le=10_000,
        applies=holds("partitions", "guillotine"),
    )
    ratio: int = declare_setting(
        2,
        "Made records for one real one",
        "How many made records are compared with one real one. More double the signal "
        "at most, and take as much longer.",
        group=SCORE,
        ge=1,
        le=20,
        stands="folded",
    )
    search: Literal["columns", "whole"] = declare_setting(
        "columns",
        "How candidates are looked for",
        "Columns are located one after the other with part of ε, then all are refined "
        "together; or all parameters are chosen at once over the whole prior, which works for two "
        "columns or so.",
        group=SEARCH,
        after="candidates",
        kind=Choice({"columns": "Column by column, then together", "whole": "All at once"}),
    )
    candidates: int = declare_setting(
        4000,
        "Candidates in each round",
        "Among how many candidates all parameters are chosen together, in each round.",
        group=SEARCH,
        ge=10,
        le=100_000,
    )
    rounds: int = declare_setting(
        2,
        "Rounds of refining",
        "In how many rounds all parameters are chosen together, each narrower.",
        group=SEARCH,
        ge=1,
        le=6,
        stands="folded",
    )
    locating: float = declare_setting(
        0.2,
        "Share of the cost for locating",
        "The share that locating columns one after the other takes.",
        group=SEARCH,
        ge=0.01,
        le=0.99,
        allow_inf_nan=False,
        kind=Share(),
        stands="folded",
        applies=holds("search", "columns"),
    )
    order: tuple[ColumnName, ...] = declare_setting(
        (),
        "Order of the columns",
        "The columns in the order in which they are made, each depending on those "
        "before; the order of the table where left empty.",
        group=MODEL,
        none="As in the table",
    )
    depends: int = declare_setting(
        2,
        "Columns that each depends on, at most",
        "On how many columns before it a column depends at most: the nearest ones.",
        group=MODEL,
        ge=0,
        le=8,
    )
    logarithmic: tuple[ColumnName, ...] = declare_setting(
        (),
        "Columns by their logarithm",
        "Columns of numbers most of which lie near the lower bound, such as incomes: "
        "they are modelled by their logarithm. Choose them by what is publicly known.",
        group=MODEL,
        none="No column",
    )
    middles: Mapping[ColumnName, tuple[float, float]] = declare_setting(
        {},
        "Where middles publicly lie, by column",
        "Where the middle of a column of numbers lies by public knowledge, between two "
        'numbers in its own unit, such as {"AGE": [35, 50]}. A narrower prior leaves more of ε to '
        "the rest. One that was worked out from these records would give them away.",
        group=MODEL,
        stands="folded",
    )
    narrowest: float = declare_setting(
        0.01,
        "Least spread, as a share of the range",
        "The least spread that a column of numbers may have, as a share of its range: "
        "part of the public prior.",
        group=MODEL,
        ge=1e-4,
        le=0.25,
        allow_inf_nan=False,
        stands="folded",
    )
    seed: int = declare_setting(
        1,
        "Public seed of the candidates",
        "The public number that candidates are made by. It is no secret, and hides nothing.",
        group=SEARCH,
        ge=0,
        lt=2**63,
        stands="folded",
    )
    records_per_person: RecordsPerPerson = declare_setting(
        1,
        "Records of one person, at most",
        "The most records that one person may have in the table.",
        group=COST,
        stands="folded",
    )
    held_out: HeldOut = declare_setting(
        0.1,
        "Share held out, to compare with",
        "The share of records that the models are not chosen by, to compare with.",
        group=RELEASED,
        kind=Share(),
        stands="folded",
    )

    def order_columns(self, schema: Schema) -> tuple[str, ...]:
        """Return the columns in the order in which they are made."""
        return self.order or schema.names

    def check(self, schema: Schema) -> None:
        """Check that the plan was made for this schema and fits it.

        Raises:
            Refusal: as `MechanismPlan.check`; the order does not name every column once, a column
                without numbers is to be taken by its logarithm, or δ is too large for the records.
        """
        super().check(schema)
        if sorted(self.order_columns(schema)) != sorted(schema.names):
            raise Refusal(
                "The order of the columns does not name every column once.",
                "Name all of them, each once, or leave the order out: "
                + ", ".join(schema.names) + ".",
                field="order",
            )  # fmt: skip
        numbers = [each.name for each in schema.columns if each.ordered]
        self._check_middles(schema, numbers)
        wrong = [name for name in self.logarithmic if name not in numbers]
        if wrong:
            raise Refusal(
                f"“{wrong[0]}” is no column of numbers, and has no logarithm.",
                "Name columns of numbers" + (": " + ", ".join(numbers) if numbers else "") + ".",
                field="logarithmic",
            )
        if self.accounting == "concentrated" and self.delta >= 1 / (self.public_records or 1):
            raise Refusal(
                "δ is not below one in the number of records: a release that gives away somebody's "
                "whole record would keep to it.",
                "Enter a far smaller δ, such as 1e-9, or add up ε alone.",
                field="delta",
            )

    def _check_middles(self, schema: Schema, numbers: Sequence[str]) -> None:
        for name, (low, high) in self.middles.items():
            if name not in numbers:
                raise Refusal(
                    f"“{name}” is no column of numbers, and has no middle.",
                    "Name columns of numbers"
                    + (": " + ", ".join(numbers) if numbers else "")
                    + ".",
                    field="middles",
                )
            domain = range_of(schema.column(name).domain)
            if not float(domain.minimum) <= low < high <= float(domain.maximum):
                raise Refusal(
                    f"The middle of “{name}” is to lie between {low:g} and {high:g}, which is no "
                    "range within its bounds.",
                    f"Name two numbers from {domain.minimum} to {domain.maximum}, the lower first.",
                    field="middles",
                )
