"""A plan of rows drawn from a latent model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Literal

from understudy.mechanisms.fields import FieldGroup, holds
from understudy.mechanisms.kinds import Choice, Number, Scale, Share, Whole
from understudy.mechanisms.plan import (
    Delta,
    Epsilon,
    HeldOut,
    MechanismPlan,
    RecordsKnown,
    RecordsPerPerson,
)
from understudy.mechanisms.setting import COST, MADE, MODEL, declare_setting
from understudy.models.latent.features import Features
from understudy.models.latent.moments import MOST_FLAGS, check_flags
from understudy.table.schema import Schema

ModelKind = Literal["factors", "principal", "variational"]
MODELS: Final[Mapping[ModelKind, str]] = {
    "factors": "Factors",
    "principal": "Principal directions",
    "variational": "A small network",
}
"""What each model is called."""
MOST_WIDTH = 32
MOST_ROWS = 10**8
INSTEAD = "take factors, or the calibrated model of seedbased synthesis"

_of_moments = holds("model", "factors", "principal")


class LatentPlan(MechanismPlan, what="the plan"):
    """Everything a run needs besides the table and its schema."""

    kind: ClassVar[str] = "latent"
    form_groups: ClassVar[tuple[FieldGroup, ...]] = (MODEL, COST, MADE)

    model: ModelKind = declare_setting(
        "factors",
        "Model",
        "What rows are drawn from. Factors: how often flags are set, alone and in "
        "pairs, explained by a few hidden numbers. Principal: the directions in which flags vary "
        "most. Variational: a small neural network, for hundreds of thousands of records.",
        group=MODEL,
        kind=Choice(MODELS),
    )
    width: int = declare_setting(
        4,
        "Hidden numbers",
        "How many hidden numbers explain the flags. More of them keep more relations, "
        "and follow more noise. A network takes its own number.",
        group=MODEL,
        ge=1,
        le=MOST_WIDTH,
        applies=_of_moments,
    )
    most_ones: int = declare_setting(
        18,
        "Flags counted of a record",
        "A record that has more flags set is counted with so many of them, chosen by "
        "chance. A smaller number needs less noise; but where many records have more, all shares "
        "come out too small, and the rows are worse than columns drawn by themselves. "
        "Choose it by what such records usually are, not by looking at these. A network has no "
        "use for it.",
        group=MODEL,
        ge=1,
        le=MOST_FLAGS,
        applies=_of_moments,
    )
    choose_ones: bool = declare_setting(
        False,
        "Choose how many flags count by a noisy count",
        "A sixteenth of ε goes to a noisy count of records by how many flags they "
        "have, and a record counts with the least number that keeps 99 % of all flags, never with "
        "more than the number above. A network has no use for it.",
        group=MODEL,
        applies=_of_moments,
    )
    rows: int = declare_setting(
        10_000,
        "Rows to draw",
        "How many records are drawn. More cost nothing.",
        group=MADE,
        ge=1,
        le=MOST_ROWS,
        kind=Whole(Scale(1_000, 1_000_000)),
    )
    epsilon: Epsilon = declare_setting(
        1.0,
        "ε",
        "ε for one record: what the release may cost. Several records of one person "
        "cost so many times as much.",
        group=COST,
        kind=Number(Scale(0.1, 10.0), step=0.1),
    )
    delta: Delta = declare_setting(
        1e-9,
        "δ",
        "δ for one person. Far below one in the number of people.",
        group=COST,
        kind=Number(digits=3),
    )
    records_per_person: RecordsPerPerson = declare_setting(
        1,
        "Records of one person, at most",
        "The most records that one person may have in the table.",
        group=COST,
        after="public_records",
        stands="folded",
    )
    public_records: RecordsKnown | None = declare_setting(
        None,
        "Records in the table, publicly known",
        "About how many records the table is publicly known to have. It says "
        "beforehand whether they are enough; a network needs it.",
        group=COST,
        none="Nobody has said",
    )
    held_out: HeldOut = declare_setting(
        0.1,
        "Share held out, to compare with",
        "So likely a record is set aside, and only compared with afterwards.",
        group=MADE,
        kind=Share(),
        stands="folded",
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
