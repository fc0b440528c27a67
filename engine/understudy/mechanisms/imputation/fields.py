"""The settings of a plan, each described once."""

from __future__ import annotations

from typing import Final

from understudy.mechanisms.derived import DERIVED
from understudy.mechanisms.fields import POLICIES, Field, Group, Place, Table, Values, Words
from understudy.mechanisms.kinds import (
    Choice,
    Flag,
    GroupsOfColumns,
    Number,
    OfColumns,
    OnOthers,
    PerColumn,
    Scale,
    Whole,
)

RELEASED: Final = Group("What is released", "Release")
MODEL: Final = Group("The model", "Model")
PROMISE: Final = Group("The promise", "Promise")

RELEASES: Final = {
    "rows-from-one-draw": "Rows from one draw",
    "imputations": "Imputed tables",
    "rows-from-own-draws": "Rows, each from a draw of its own",
    "rows-from-mode": "Rows from the likeliest parameters",
    "posterior-draw": "One draw of the parameters",
    "noised-mode": "The likeliest parameters, with noise",
}
CAPTIONS: Final = {
    "rows-from-one-draw": "One table. Shares and means are drawn once, and all rows from them.",
    "imputations": "Several tables, each from a draw of its own, so that an analyst sees how far "
    "draws differ.",
    "rows-from-own-draws": "One table. Shares and means are drawn anew for every row.",
    "rows-from-mode": "One table, from the likeliest shares and means. It needs the strongest "
    "prior.",
    "posterior-draw": "No rows, but shares and means as numbers, drawn once.",
    "noised-mode": "No rows, but shares and means as numbers, with noise of a chosen ε and no δ.",
}


def _rows(values: Values) -> bool:
    return values.get("release") not in ("posterior-draw", "noised-mode")


def _imputed(values: Values) -> bool:
    return values.get("release") == "imputations"


def _noised(values: Values) -> bool:
    return values.get("release") == "noised-mode"


def _drawn(values: Values) -> bool:
    return not _noised(values)


def _of_numbers(values: Values) -> bool:
    return bool(values.get("deviations"))


def _apart(values: Values) -> bool:
    return values.get("release") not in ("rows-from-mode", "rows-from-own-draws")


def _place(name: str) -> tuple[Place, ...]:
    return (Place(name, name),)


FIELDS: Final = Table(
    (
        Field(
            "release",
            Words("Release", "What is released."),
            Choice(RELEASES), RELEASED, _place("release"),
        ),
        Field(
            "rows",
            Words("Rows", "How many rows each table has.",
                  "How many rows each table has. Of rows from one draw more cost more, but never "
                  "more than the parameters themselves."),
            Whole(Scale(10, 100_000)), RELEASED, _place("rows"), "rows", applies=_rows, paid=True,
        ),
        Field(
            "tables",
            Words("Tables", "How many tables are imputed, each from a draw of its own.",
                  "How many tables. Each costs: with more of them, the prior has to be stronger."),
            Whole(Scale(2, 20)), RELEASED, _place("tables"), "tables", applies=_imputed,
        ),
        Field(
            "columns",
            Words("Columns", "Which columns are released.",
                  "Which columns are released; all where none is named."),
            OfColumns(several=True), RELEASED, _place("columns"), "columns", usual=[],
            none="All columns", may_be_empty=True,
        ),
        Field(
            "strength",
            Words("Strength of the prior", "How many records the prior puts into every cell.",
                  "So many made-up records stand in every cell before the real ones are counted. "
                  "More of them hide a record better, and draw all shares towards one another.",
                  "α"),
            Number(Scale(0.5, 200), 0.5), MODEL, _place("strength"), "records",
        ),
        Field(
            "deviations",
            Words("Deviations of numbers", "How far values publicly are spread, by column.",
                  "A column of numbers is drawn from a Gaussian where its deviation σ is publicly "
                  "known, in its own unit. A σ worked out from these records would give them away. "
                  "Without one, every value is counted by itself.",
                  "σ"),
            PerColumn(), MODEL, _place("deviations"), usual={},
        ),
        Field(
            "prior_records",
            Words("Weight of the prior of means", "How many records the prior of a mean counts "
                  "for.", "So many made-up records stand at the middle of the bounds before the "
                  "real ones are averaged."),
            Number(Scale(0.1, 1000), 1.0), MODEL, _place("prior_records"), "records",
            applies=_of_numbers,
        ),
        Field(
            "joint",
            Words("Columns counted together", "Columns of which every combination is a cell.",
                  "Every combination of their values is counted, so that their dependence is kept. "
                  "Their cells multiply, and the prior puts records into every one."),
            GroupsOfColumns(), MODEL, _place("joint"), usual=[], stands="folded",
        ),
        Field(
            "given",
            Words("Columns that depend on others",
                  "Columns whose shares are kept apart for each combination of others.",
                  "The shares of a column are counted apart for each value of those that it "
                  "depends on, such as pay for each kind of job. Columns that depend on none, and "
                  "that none depends on, are drawn independently of all others."),
            OnOthers(), MODEL, _place("given"), usual={}, stands="folded", applies=_apart,
            only_where_used=True,
        ),
        Field(
            "conditioned",
            Words("Within the bounds", "Whether numbers are drawn again until within the bounds.",
                  "Numbers are drawn again until they lie within their bounds, and not moved to "
                  "the nearest. It makes a promise without a δ possible."),
            Flag(), MODEL, _place("conditioned"), stands="folded", applies=_of_numbers,
        ),
        Field(
            "records",
            Words("Records in the table", "How many records the table has, which is public.",
                  "The guarantee holds between tables of this very number of records, which "
                  "everybody may know. You confirm before the run that it is public.", "n"),
            Whole(), PROMISE, _place("records"), "records",
        ),
        Field(
            "delta",
            Words("δ", "What may be added to every probability.",
                  "What may be added to every probability. It has to lie far below one in the "
                  "number of records.", ""),
            Number(Scale(1e-12, 1e-3, powers=True)), PROMISE, _place("delta"), "probability",
            applies=_drawn, told=True,
        ),
        Field(
            "epsilon",
            Words("Noise", "ε of the likeliest parameters with noise.",
                  "A smaller one is more noise.", "ε"),
            Number(Scale(0.1, 10)), PROMISE, _place("epsilon"), applies=_noised,
        ),
        Field(
            "used",
            Words("Records used", "How many of the records are used, drawn at random.",
                  "So many are drawn at random, and the others kept to compare with. Which, nobody "
                  "knows, and that makes the release more private."),
            Whole(), PROMISE, _place("used"), "records", none="all", may_be_empty=True,
            stands="folded",
        ),
        Field(
            "records_per_person",
            Words("Records of one person", "The most records that one person has.",
                  "The most records that one person has in the table.", "g"),
            Whole(), PROMISE, _place("records_per_person"), "records", stands="folded",
        ),
        Field(
            "public_records",
            Words("Publicly known", "The number of records that was confirmed to be public.",
                  "The number of records, confirmed to be public knowledge."),
            Whole(), PROMISE, _place("public_records"), "records", stands="elsewhere",
            none="not confirmed",
        ),
        POLICIES,
    ),
    DERIVED,
)  # fmt: skip
