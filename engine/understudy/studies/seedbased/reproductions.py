"""The published evaluation on simulated people, beside the published numbers, and on a confidential
table of one's own, all of it internal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import Field, FieldGroup, FieldTable, Option, Words
from understudy.mechanisms.kinds import Text, Whole
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.studies.reproduction import Definition, Document, ReproductionRequest, Told

if TYPE_CHECKING:
    from understudy.mechanisms.errata import Errata
    from understudy.table.fit import Policy
    from understudy.table.schema import Schema


_TARGET: Final = "WAGP"
_SEED: Final = 2013
_QUICK: Final = 10

ROWS: Final = Field(
    name="rows",
    words=Words("People", "How many people are simulated."),
    kind=Whole(),
    group=FieldGroup("The simulated census", "On the simulated census"),
    option=Option(
        "How many people to simulate (default 1500000; with --quick 150000).", metavar="N"
    ),
)


CENSUS_FIELDS: Final = FieldTable((ROWS,))


@dataclass(frozen=True)
class Census:
    """As `Reproduction`."""

    name: str = "census"
    title: str = "the evaluation of seedbased synthesis, on simulated people like the published"
    fields: FieldTable = CENSUS_FIELDS
    draws: bool = True

    def check(self, asked: ReproductionRequest) -> None:
        """Nothing can be wrong that is not found at once by `run`."""

    def run(self, asked: ReproductionRequest, told: Told) -> Document:
        from understudy.privacy.randomness import RandomSource
        from understudy.samples import census
        from understudy.studies.seedbased.evaluation import reproduce
        from understudy.studies.seedbased.report import Circumstances, document
        from understudy.studies.seedbased.setting import (
            PUBLISHED_ROWS,
            SeedbasedStudySetting,
            SeedbasedStudySizes,
        )
        from understudy.table.records import Records

        seed = _SEED if asked.seed is None else asked.seed
        usual = PUBLISHED_ROWS // _QUICK if asked.quick else PUBLISHED_ROWS
        rows = asked.settings.get(ROWS.name, usual)
        sizes = SeedbasedStudySizes.of(rows)
        told("simulating people")
        schema = census.schema()
        records = Records(schema, census.simulate(rows, seed))
        full = SeedbasedStudySetting.of(len(schema))
        setting = full.quick() if asked.quick else full
        circumstances = Circumstances(
            f"{rows:,} simulated people, seed {seed}",
            asked.command,
            asked.date,
            census=True,
            cut=setting.cut(rows),
        )
        source = RandomSource.fixed(seed)
        found = reproduce(records, sizes.cut(records), _TARGET, setting, source, told)
        return document(found, circumstances)

    def errata(self) -> tuple[Errata, ...]:
        """Return the errors of the publication."""
        from understudy.studies.seedbased.claims import ERRATA

        return ERRATA

    def definitions(self) -> tuple[Definition, ...]:
        """Return how its numbers are defined."""
        from understudy.studies.seedbased.claims import DEFINITIONS

        return DEFINITIONS


_GROUP: Final = FieldGroup("A table of your own", "On a table of your own")


def _name_field(name: str, meaning: str, unit: str, told: str) -> Field:
    words = Words(name.capitalize(), meaning)
    return Field(name=name, words=words, kind=Text(), group=_GROUP, unit=unit, option=Option(told))


TABLE: Final = _name_field(
    "table",
    "The confidential table.",
    "file",
    "A confidential table: CSV, Parquet, Excel, Stata, SPSS or SAS. All that is printed of it is "
    "internal.",
)
SCHEMA: Final = _name_field("schema", "Its schema.", "file", "Its schema.")
TARGET: Final = _name_field(
    "target", "What classifiers predict.", "column", "The column that classifiers predict."
)
OUTSIDE: Final = FIELDS["policies"]


OPTIONS: Final = FieldTable((TABLE, SCHEMA, TARGET, OUTSIDE))


@dataclass(frozen=True)
class OwnTable:
    """As `Reproduction`."""

    name: str = "table"
    title: str = "the evaluation of seedbased synthesis, on a confidential table of your own"
    fields: FieldTable = OPTIONS
    draws: bool = True

    def check(self, asked: ReproductionRequest) -> None:
        wanted = (TABLE, SCHEMA, TARGET)
        missing = [each.option_name for each in wanted if each.name not in asked.settings]
        if missing:
            raise Refusal(
                f"{' and '.join(missing)} must be given too.",
                "A table of your own needs --table, --schema and --target.",
            )
        if asked.seed is not None:
            raise Refusal("--seed is of simulated people only.", "Leave it out.")

    def run(self, asked: ReproductionRequest, told: Told) -> Document:
        from understudy.evaluation.measures.prediction import MOST_VALUES, check_target
        from understudy.privacy.randomness import RandomSource
        from understudy.studies.seedbased.evaluation import reproduce
        from understudy.studies.seedbased.report import Circumstances, document
        from understudy.studies.seedbased.setting import (
            SeedbasedStudySetting,
            SeedbasedStudySizes,
            enough,
        )
        from understudy.table.schema import Schema
        from understudy.table.split import split

        table, target = asked.settings[TABLE.name], asked.settings[TARGET.name]
        schema = Schema.load(Path(asked.settings[SCHEMA.name]))
        check_target(schema, target, MOST_VALUES)
        policies = _policies(asked, schema)
        told("reading the table")
        records = asked.read(Path(table), schema, policies)
        enough(len(records), TABLE.name)
        source = RandomSource.secure()
        full = SeedbasedStudySetting.of(len(schema))
        setting = full.quick() if asked.quick else full
        circumstances = Circumstances(
            table, asked.command, asked.date, census=False, cut=setting.cut(None)
        )
        parts = split(records, SeedbasedStudySizes().shares, source)
        return document(reproduce(records, parts, target, setting, source, told), circumstances)

    def errata(self) -> tuple[Errata, ...]:
        """Return none: the publication's errata are told with the census."""
        return ()

    def definitions(self) -> tuple[Definition, ...]:
        """Return none, as no published number stands beside it."""
        return ()


def _policies(asked: ReproductionRequest, schema: Schema) -> Mapping[str, Policy]:
    """Return what becomes of values outside the schema.

    Raises:
        Refusal: it cannot be read, or is of no column; its field is that of the option.
    """
    from understudy.mechanisms.seedbased.plan import Plan
    from understudy.mechanisms.seedbased.plan_from_options import policies_of

    try:
        given = asked.settings.get(OUTSIDE.name) or ()
        return Plan.of(schema, policies=policies_of(given, schema)).policies
    except Refusal as refusal:
        raise Refusal(refusal.problem, refusal.remedy, field=OUTSIDE.name) from None
