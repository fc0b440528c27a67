"""A plan for rows, parameters or imputations drawn from a Bayesian model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from understudy.core.numerals import delta as spelled_delta
from understudy.core.numerals import significant
from understudy.core.refusal import Refusal
from understudy.mechanisms.plan import ColumnName, MechanismPlan, RecordsPerPerson
from understudy.table.schema import Schema

ReleaseType = Literal[
    "noised-mode", "posterior-draw", "rows-from-mode", "rows-from-one-draw", "rows-from-own-draws",
    "imputations",
]  # fmt: skip
"""What is released; see `ImputationPlan.release`."""

ROWS: frozenset[ReleaseType] = frozenset(
    {"rows-from-mode", "rows-from-one-draw", "rows-from-own-draws", "imputations"}
)
"""The releases that are rows, and not parameters."""

MOST_ROWS = 1_000_000
MOST_TABLES = 50
SMALLEST_DELTA = 1e-30
MOST_VALUES = 100_000_000
"""All that is released is drawn at once, and kept so that a run can go on."""

Records = Annotated[int, Field(ge=1, le=10**8)]
"""A number of records for which curves are worked out."""


class ImputationPlan(MechanismPlan, what="the plan"):
    """What is released, under which prior.

    Columns named in `deviations` have a Gaussian model, all others one of categories.

    Attributes:
        release: the mode of the posterior with noise; a draw of the parameter; rows from the mode,
            from one draw of the parameter, or each from a draw of its own; or several tables, each
            from one draw.
        records: n, how many records the table has, which is public.
        public_records: the number that the custodian confirmed to be public; None where nobody has.
        used: how many of them are used, drawn at random; None for all.
        columns: which are released; all where none is named.
        joint: columns that are counted together, cell by cell.
        given: what other columns the shares of a column are kept apart for.
        strength: α, the weight that the prior gives each cell.
        deviations: σ of each column with a Gaussian model, in its own unit.
        prior_records: how many records the prior of a mean counts for, σ²/σ0².
        conditioned: whether means, or rows from the mode or draws of their own, are drawn again
            until they lie within the bounds of the column; this makes them private without a δ.
        rows: how many rows each table has.
        tables: how many tables there are, of imputations.
        delta: δ of the total; 0 for none.
        epsilon: of the mode with noise; of no use elsewhere, where ε follows from the rest.
        records_per_person: the most records of one person.
    """

    kind: ClassVar[str] = "imputation"

    release: ReleaseType = Field(
        default="rows-from-one-draw",
        description="noised-mode: the likeliest parameter, with noise. posterior-draw: one draw of "
        "the parameter. rows-from-mode: rows drawn from the likeliest parameter. "
        "rows-from-one-draw: one draw of the parameter, and all rows from it. rows-from-own-draws: "
        "for each row a draw of its own. imputations: several tables, each from a draw of its own.",
    )
    records: Records = Field(default=1000, description="How many records the table has; public.")
    public_records: Records | None = Field(
        default=None, description="The number of records that is public knowledge."
    )
    used: Records | None = Field(
        default=None,
        description="How many of the records are used, drawn at random: the rest is kept to "
        "compare with. None for all.",
    )
    columns: tuple[ColumnName, ...] = Field(
        default=(), description="Which columns are released; all where none is named."
    )
    joint: tuple[tuple[ColumnName, ...], ...] = Field(
        default=(),
        description='Columns that are counted together, such as [["SEX", "MARRIED"]].',
    )
    given: Mapping[ColumnName, tuple[ColumnName, ...]] = Field(
        default_factory=dict,
        description="For a column, the columns for each combination of which its shares are kept "
        'apart, such as {"MARRIED": ["SEX"]}.',
    )
    strength: float = Field(
        default=10.0, gt=0, le=1e7, allow_inf_nan=False,
        description="α: so many records the prior puts into every cell. A larger one is more "
        "private, and draws all shares towards one another.",
    )  # fmt: skip
    deviations: Mapping[ColumnName, float] = Field(
        default_factory=dict,
        description="σ of each column of numbers that is taken to be Gaussian, in its own unit, "
        'publicly known: {"AGE": 18}.',
    )
    prior_records: float = Field(
        default=1.0, ge=0, le=1e6, allow_inf_nan=False,
        description="How many records the prior of a mean counts for; it draws the mean to the "
        "middle of the bounds.",
    )  # fmt: skip
    conditioned: bool = Field(
        default=False,
        description="Whether numbers are drawn again until they lie within their bounds, instead "
        "of being moved to the nearest bound. It makes a plan without a δ possible.",
    )
    rows: int = Field(default=1000, ge=1, le=MOST_ROWS, description="Rows of each table.")
    tables: int = Field(
        default=5, ge=2, le=MOST_TABLES, description="How many tables, of imputations."
    )
    delta: float = Field(default=1e-6, ge=0, lt=1, allow_inf_nan=False, description="δ.")
    epsilon: float = Field(
        default=1.0, ge=1e-4, le=1000, allow_inf_nan=False,
        description="ε of the likeliest parameter with noise; elsewhere it follows from the rest.",
    )  # fmt: skip
    records_per_person: RecordsPerPerson = Field(
        default=1, description="The most records of one person."
    )

    def check(self, schema: Schema) -> None:
        """Check that the plan was made for this schema and fits it.

        Raises:
            Refusal: as `MechanismPlan.check`; δ is too large for the records, more are to be used
                than there are, or more values are to be drawn than are kept at once.
        """
        super().check(schema)
        if 0 < self.delta < SMALLEST_DELTA:
            raise Refusal(
                f"A δ of {spelled_delta(self.delta)} is told from 0 by nothing that is computed.",
                f"Choose 0, or {SMALLEST_DELTA:g} or more.",
                field="delta",
            )
        if self.delta >= 1 / self.records:
            raise Refusal(
                f"A δ of {spelled_delta(self.delta)} is no less than one in {self.records:,}, the "
                "number of records: publishing one record as it is would keep to it.",
                f"Choose one far below {significant(1 / self.records, 1)}, such as "
                f"{significant(0.001 / self.records, 1)}.",
                field="delta",
            )
        if self.kept > self.records:
            raise Refusal(
                "More records are to be used than the table has.",
                "Use as many as it has, or fewer.",
                field="used",
            )
        values = self.rows * self.copies * len(self.columns or schema.names)
        if values > MOST_VALUES:
            raise Refusal(
                f"The rows of all tables come to {values:,} values; at most {MOST_VALUES:,} are "
                "drawn.",
                "Choose fewer rows, tables or columns.",
                field="rows",
            )

    @property
    def kept(self) -> int:
        """How many records are used."""
        return self.records if self.used is None else self.used

    @property
    def copies(self) -> int:
        """How many tables there are; 0 where parameters are released."""
        if self.release not in ROWS:
            return 0
        return self.tables if self.release == "imputations" else 1
