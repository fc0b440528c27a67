"""A plan for rows, parameters or imputations drawn from a Bayesian model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from understudy.core.numerals import delta as spelled_delta
from understudy.core.numerals import significant
from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import FieldGroup, Values, holds
from understudy.mechanisms.kinds import Choice, Number, Scale, Whole
from understudy.mechanisms.plan import ColumnName, MechanismPlan, RecordsPerPerson
from understudy.mechanisms.setting import MODEL, declare_setting
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

RELEASES: Final[Mapping[ReleaseType, str]] = {
    "rows-from-one-draw": "Rows from one draw",
    "imputations": "Imputed tables",
    "rows-from-own-draws": "Rows, each from a draw of its own",
    "rows-from-mode": "Rows from the likeliest parameters",
    "posterior-draw": "One draw of the parameters",
    "noised-mode": "The likeliest parameters, with noise",
}
"""What each release is called."""

CAPTIONS: Final[Mapping[ReleaseType, str]] = {
    "rows-from-one-draw": "One table. Shares and means are drawn once, and all rows from them.",
    "imputations": "Several tables, each from a draw of its own, so that an analyst sees how far "
    "draws differ.",
    "rows-from-own-draws": "One table. Shares and means are drawn anew for every row.",
    "rows-from-mode": "One table, from the likeliest shares and means. It needs the strongest "
    "prior.",
    "posterior-draw": "No rows, but shares and means as numbers, drawn once.",
    "noised-mode": "No rows, but shares and means as numbers, with noise of a chosen ε and no δ.",
}
"""What each release is, in a sentence or two."""

RELEASED: Final = FieldGroup("What is released", "Release")
PROMISE: Final = FieldGroup("The promise", "Promise")

MOST_ROWS = 1_000_000
MOST_TABLES = 50
SMALLEST_DELTA = 1e-30
MOST_VALUES = 100_000_000
"""All that is released is drawn at once, and kept so that a run can go on."""

_apart = holds("release", "rows-from-one-draw", "imputations", "posterior-draw", "noised-mode")
_drawn = holds("release", "posterior-draw", *sorted(ROWS))


def _of_numbers(values: Values) -> bool:
    """Return whether a column of numbers has a deviation."""
    return bool(values.get("deviations"))


Records = Annotated[int, Field(ge=1, le=10**8)]
"""A number of records for which curves are worked out."""


class ImputationPlan(MechanismPlan, what="the plan"):
    """What is released, under which prior.

    Columns named in `deviations` have a Gaussian model, all others one of categories.
    """

    kind: ClassVar[str] = "imputation"
    form_groups: ClassVar[tuple[FieldGroup, ...]] = (RELEASED, MODEL, PROMISE)

    release: ReleaseType = declare_setting(
        "rows-from-one-draw",
        "Release",
        "noised-mode: the likeliest parameter, with noise. posterior-draw: one draw of "
        "the parameter. rows-from-mode: rows drawn from the likeliest parameter. "
        "rows-from-one-draw: one draw of the parameter, and all rows from it. rows-from-own-draws: "
        "for each row a draw of its own. imputations: several tables, each from a draw of its own.",
        group=RELEASED,
        kind=Choice(RELEASES),
    )
    records: Records = declare_setting(
        1000,
        "Records in the table",
        "How many records the table has; public.",
        group=PROMISE,
        sign="n",
        unit="records",
        help="The guarantee holds between tables of this very number of records, which everybody "
        "may know. You confirm before the run that it is public.",
    )
    public_records: Records | None = declare_setting(
        None,
        "Publicly known",
        "The number of records that is public knowledge.",
        group=PROMISE,
        unit="records",
        stands="elsewhere",
        none="not confirmed",
    )
    used: Records | None = declare_setting(
        None,
        "Records used",
        "How many of the records are used, drawn at random: the rest is kept to "
        "compare with. None for all.",
        group=PROMISE,
        after="epsilon",
        unit="records",
        none="all",
        stands="folded",
        help="So many are drawn at random, and the others kept to compare with. Which, nobody "
        "knows, and that makes the release more private.",
    )
    columns: tuple[ColumnName, ...] = declare_setting(
        (),
        "Columns",
        "Which columns are released; all where none is named.",
        group=RELEASED,
        after="tables",
        unit="columns",
        none="All columns",
        may_be_empty=True,
    )
    joint: tuple[tuple[ColumnName, ...], ...] = declare_setting(
        (),
        "Columns counted together",
        'Columns that are counted together, such as [["SEX", "MARRIED"]].',
        group=MODEL,
        after="prior_records",
        stands="folded",
        help="Every combination of their values is counted, so that their dependence is kept. "
        "Their cells multiply, and the prior puts records into every one.",
    )
    given: Mapping[ColumnName, tuple[ColumnName, ...]] = declare_setting(
        {},
        "Columns that depend on others",
        "For a column, the columns for each combination of which its shares are kept "
        'apart, such as {"MARRIED": ["SEX"]}.',
        group=MODEL,
        after="joint",
        stands="folded",
        applies=_apart,
        only_where_used=True,
        help="The shares of a column are counted apart for each value of those that it depends "
        "on, such as pay for each kind of job. Columns that depend on none, and that none depends "
        "on, are drawn independently of all others.",
    )
    strength: float = declare_setting(
        10.0,
        "Strength of the prior",
        "α: so many records the prior puts into every cell. A larger one is more "
        "private, and draws all shares towards one another.",
        group=MODEL,
        gt=0,
        le=1e7,
        allow_inf_nan=False,
        sign="α",
        unit="records",
        kind=Number(Scale(0.5, 200), 0.5),
        help="So many made-up records stand in every cell before the real ones are counted. More "
        "of them hide a record better, and draw all shares towards one another.",
    )
    deviations: Mapping[ColumnName, float] = declare_setting(
        {},
        "Deviations of numbers",
        "σ of each column of numbers that is taken to be Gaussian, in its own unit, "
        'publicly known: {"AGE": 18}.',
        group=MODEL,
        sign="σ",
        help="A column of numbers is drawn from a Gaussian where its deviation σ is publicly "
        "known, in its own unit. A σ worked out from these records would give them away. Without "
        "one, every value is counted by itself.",
    )
    prior_records: float = declare_setting(
        1.0,
        "Weight of the prior of means",
        "How many records the prior of a mean counts for; it draws the mean to the "
        "middle of the bounds.",
        group=MODEL,
        ge=0,
        le=1e6,
        allow_inf_nan=False,
        unit="records",
        kind=Number(Scale(0.1, 1000), 1.0),
        applies=_of_numbers,
        help="So many made-up records stand at the middle of the bounds before the real ones are "
        "averaged.",
    )
    conditioned: bool = declare_setting(
        False,
        "Within the bounds",
        "Whether numbers are drawn again until they lie within their bounds, instead "
        "of being moved to the nearest bound. It makes a plan without a δ possible.",
        group=MODEL,
        after="given",
        stands="folded",
        applies=_of_numbers,
        help="Numbers are drawn again until they lie within their bounds, and not moved to the "
        "nearest. It makes a promise without a δ possible.",
    )
    rows: int = declare_setting(
        1000,
        "Rows",
        "How many rows each table has.",
        group=RELEASED,
        ge=1,
        le=MOST_ROWS,
        unit="rows",
        kind=Whole(Scale(10, 100_000)),
        applies=holds("release", *ROWS),
        paid=True,
        help="How many rows each table has. Of rows from one draw more cost more, but never more "
        "than the parameters themselves.",
    )
    tables: int = declare_setting(
        5,
        "Tables",
        "How many tables are imputed, each from a draw of its own.",
        group=RELEASED,
        ge=2,
        le=MOST_TABLES,
        unit="tables",
        kind=Whole(Scale(2, 20)),
        applies=holds("release", "imputations"),
        help="How many tables. Each costs: with more of them, the prior has to be stronger.",
    )
    delta: float = declare_setting(
        1e-6,
        "δ",
        "What may be added to every probability.",
        group=PROMISE,
        ge=0,
        lt=1,
        allow_inf_nan=False,
        kind=Number(Scale(1e-12, 1e-3, powers=True)),
        unit="probability",
        applies=_drawn,
        help="What may be added to every probability. It has to lie far below one in the number "
        "of records.",
    )
    epsilon: float = declare_setting(
        1.0,
        "Noise",
        "ε of the likeliest parameter with noise; elsewhere it follows from the rest.",
        group=PROMISE,
        ge=1e-4,
        le=1000,
        allow_inf_nan=False,
        sign="ε",
        kind=Number(Scale(0.1, 10)),
        applies=holds("release", "noised-mode"),
        help="A smaller one is more noise.",
    )
    records_per_person: RecordsPerPerson = declare_setting(
        1,
        "Records of one person",
        "The most records of one person.",
        group=PROMISE,
        sign="g",
        unit="records",
        stands="folded",
        after="used",
        help="The most records that one person has in the table.",
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
        if self.used_records > self.records:
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
    def used_records(self) -> int:
        """How many records are used."""
        return self.records if self.used is None else self.used

    @property
    def copies(self) -> int:
        """How many tables there are; 0 where parameters are released."""
        if self.release not in ROWS:
            return 0
        return self.tables if self.release == "imputations" else 1
