"""A plan of rows drawn from a latent model."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from understudy.mechanisms.plan import (
    Delta,
    Epsilon,
    HeldOut,
    MechanismPlan,
    RecordsKnown,
    RecordsPerPerson,
)
from understudy.models.latent.features import Features
from understudy.models.latent.moments import MOST_FLAGS, check_flags
from understudy.table.schema import Schema

ModelKind = Literal["factors", "principal", "variational"]
MOST_WIDTH = 32
MOST_ROWS = 10**8
INSTEAD = "take factors, or the calibrated model of seedbased synthesis"


class LatentPlan(MechanismPlan, what="the plan"):
    """Everything a run needs besides the table and its schema.

    Attributes:
        model: what rows are drawn from.
        width: how many hidden numbers a factor or principal model has.
        most_ones: the flags that a record is counted with at most, in their moments.
        choose_ones: whether a noisy count says with how many, never more than that.
        rows: how many records are drawn.
        epsilon: what the release may cost one record.
        delta: what it may add for one person, with all records of theirs.
        records_per_person: g, the most records one person may have in the table.
        public_records: about how many records the table is publicly known to have; None where
            nobody has said. No guarantee rests on it.
        held_out: with which chance a record is only compared with.
    """

    kind: ClassVar[str] = "latent"

    model: ModelKind = Field(
        default="factors",
        description="What rows are drawn from. Factors: how often flags are set, alone and in "
        "pairs, explained by a few hidden numbers. Principal: the directions in which flags vary "
        "most. Variational: a small neural network, for hundreds of thousands of records.",
    )
    width: int = Field(
        default=4, ge=1, le=MOST_WIDTH,
        description="How many hidden numbers explain the flags. More of them keep more relations, "
        "and follow more noise. A network takes its own number.",
    )  # fmt: skip
    most_ones: int = Field(
        default=18, ge=1, le=MOST_FLAGS,
        description="A record that has more flags set is counted with so many of them, chosen by "
        "chance. A smaller number needs less noise; but where many records have more, all shares "
        "come out too small, and the rows are worse than columns drawn by themselves. "
        "Choose it by what such records usually are, not by looking at these. A network has no "
        "use for it.",
    )  # fmt: skip
    choose_ones: bool = Field(
        default=False,
        description="A sixteenth of ε goes to a noisy count of records by how many flags they "
        "have, and a record counts with the least number that keeps 99 % of all flags, never with "
        "more than the number above. A network has no use for it.",
    )
    rows: int = Field(
        default=10_000, ge=1, le=MOST_ROWS,
        description="How many records are drawn. More cost nothing.",
    )  # fmt: skip
    epsilon: Epsilon = Field(
        default=1.0,
        description="ε for one record: what the release may cost. Several records of one person "
        "cost so many times as much.",
    )
    delta: Delta = Field(
        default=1e-9, description="δ for one person. Far below one in the number of people."
    )
    records_per_person: RecordsPerPerson = Field(
        default=1, description="The most records that one person may have in the table."
    )
    public_records: RecordsKnown | None = Field(
        default=None,
        description="About how many records the table is publicly known to have. It says "
        "beforehand whether they are enough; a network needs it.",
    )
    held_out: HeldOut = Field(
        default=0.1,
        description="So likely a record is set aside, and only compared with afterwards.",
    )

    def check(self, schema: Schema) -> None:
        """Check that the plan was made for this schema and fits it.

        Raises:
            Refusal: as `MechanismPlan.check`; the model has no use for a column; or it has as many
                hidden numbers as there are columns.
        """
        super().check(schema)
        if self.model == "variational":
            check_flags(schema, INSTEAD)
        else:
            Features.of(schema).check_width(self.width)
