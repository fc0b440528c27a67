"""A plan of the pMSE mechanism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from understudy.core.refusal import Refusal
from understudy.mechanisms.plan import (
    ColumnName,
    Delta,
    Epsilon,
    HeldOut,
    MechanismPlan,
    RecordsKnown,
    RecordsPerPerson,
)
from understudy.table.domain import range_of
from understudy.table.schema import Schema


class PmsePlan(MechanismPlan, what="the plan"):
    """Everything a run needs besides the table and its schema.

    Attributes:
        epsilon, delta: what the release may cost one record; δ is spent only where `accounting` is
            "concentrated".
        accounting: how the choices are added up: their ε, or their ρ of zero-concentrated
            differential privacy, which needs a δ.
        public_records: n, how many records the table has; None where nobody has said.
        rows: how many records each synthetic table has.
        draws: l, how many models are chosen, each by a search of its own.
        partitions: the class of partitions that tell real from made records.
        bins: of a column of numbers, for those partitions.
        price: of a leaf of a guillotine partition, in records.
        ratio: n_s/n, how many records are made from each candidate for one real record.
        search: whether units are located one by one before all are refined together.
        candidates: how many are looked at in each round in which all are chosen together.
        rounds: how many of those there are.
        locating: the share of ε or ρ that locating takes.
        order: the columns in the order in which they are made; of the schema where left out.
        depends: on how many columns before it each depends at most.
        logarithmic: columns of numbers that are modelled by the logarithm of their distance from
            the lower bound.
        middles: between which two numbers, in its own unit, the middle of a column of numbers lies
            by public knowledge; anywhere between its bounds where left out.
        narrowest: the least spread of a column of numbers, as a share of its range.
        seed: of the numbers that every candidate's records are made by, and of random partitions;
            public.
        records_per_person: g.
        held_out: the chance with which a record is only compared with.
    """

    kind: ClassVar[str] = "pmse"

    epsilon: Epsilon = Field(
        default=1.0, description="ε for one record: what choosing the models may cost."
    )
    delta: Delta = Field(
        default=1e-9,
        description="δ for one record. It is spent only where the accounting is concentrated.",
    )
    accounting: Literal["pure", "concentrated"] = Field(
        default="pure",
        description="How the choices are added up. Pure adds their ε, and δ stays 0. Concentrated "
        "adds them by zero-concentrated differential privacy, which is more for the same ε where "
        "there are many columns or several models, and spends δ.",
    )
    public_records: RecordsKnown | None = Field(
        default=None,
        description="How many records the table has. The guarantee compares tables of this number "
        "of records, so it has to be public knowledge.",
    )
    rows: int = Field(
        default=5000, ge=1, le=10**7,
        description="How many records each synthetic table gets. More cost nothing.",
    )  # fmt: skip
    draws: int = Field(
        default=1, ge=1, le=20,
        description="How many models are chosen, each with a table of its own. They share ε; one "
        "model gets all of it and is nearly always better.",
    )  # fmt: skip
    partitions: Literal["crossed", "depth-two", "stump", "forest", "guillotine"] = Field(
        default="crossed",
        description="What tells real records from made ones: all bins of two columns crossed, as "
        "the mean over pairs; the best tree of depth two; the best single cut; the best of some "
        "random trees; or the best partition by cuts from edge to edge. None of them is grown "
        "from the records, so that each has an exact sensitivity.",
    )
    bins: int = Field(
        default=8, ge=2, le=64,
        description="In how many bins a column of numbers may be cut.",
    )  # fmt: skip
    price: int = Field(
        default=5, ge=0, le=10_000,
        description="What a leaf of a guillotine partition costs its score, in records. Without a "
        "price the finest partition always scores best.",
    )  # fmt: skip
    ratio: int = Field(
        default=2, ge=1, le=20,
        description="How many made records are compared with one real one. More double the signal "
        "at most, and take as much longer.",
    )  # fmt: skip
    search: Literal["columns", "whole"] = Field(
        default="columns",
        description="Columns are located one after the other with part of ε, then all are refined "
        "together; or all parameters are chosen at once over the whole prior, which works for two "
        "columns or so.",
    )
    candidates: int = Field(
        default=4000, ge=10, le=100_000,
        description="Among how many candidates all parameters are chosen together, in each round.",
    )  # fmt: skip
    rounds: int = Field(
        default=2, ge=1, le=6,
        description="In how many rounds all parameters are chosen together, each narrower.",
    )  # fmt: skip
    locating: float = Field(
        default=0.2, ge=0.01, le=0.99, allow_inf_nan=False,
        description="The share that locating columns one after the other takes.",
    )  # fmt: skip
    order: tuple[ColumnName, ...] = Field(
        default=(),
        description="The columns in the order in which they are made, each depending on those "
        "before; the order of the table where left empty.",
    )
    depends: int = Field(
        default=2, ge=0, le=8,
        description="On how many columns before it a column depends at most: the nearest ones.",
    )  # fmt: skip
    logarithmic: tuple[ColumnName, ...] = Field(
        default=(),
        description="Columns of numbers most of which lie near the lower bound, such as incomes: "
        "they are modelled by their logarithm. Choose them by what is publicly known.",
    )
    middles: Mapping[ColumnName, tuple[float, float]] = Field(
        default_factory=dict,
        description="Where the middle of a column of numbers lies by public knowledge, between two "
        'numbers in its own unit, such as {"AGE": [35, 50]}. A narrower prior leaves more of ε to '
        "the rest. One that was worked out from these records would give them away.",
    )
    narrowest: float = Field(
        default=0.01, ge=1e-4, le=0.25, allow_inf_nan=False,
        description="The least spread that a column of numbers may have, as a share of its range: "
        "part of the public prior.",
    )  # fmt: skip
    seed: int = Field(
        default=1, ge=0, lt=2**63,
        description="The public number that candidates are made by. It is no secret, and hides "
        "nothing.",
    )  # fmt: skip
    records_per_person: RecordsPerPerson = Field(
        default=1, description="The most records that one person may have in the table."
    )
    held_out: HeldOut = Field(
        default=0.1,
        description="The share of records that the models are not chosen by, to compare with.",
    )

    def ordered(self, schema: Schema) -> tuple[str, ...]:
        """Return the columns in the order in which they are made."""
        return self.order or schema.names

    def check(self, schema: Schema) -> None:
        """Check that the plan was made for this schema and fits it.

        Raises:
            Refusal: as `MechanismPlan.check`; the order does not name every column once, a column
                without numbers is to be taken by its logarithm, or δ is too large for the records.
        """
        super().check(schema)
        if sorted(self.ordered(schema)) != sorted(schema.names):
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
