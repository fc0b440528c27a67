"""The published evaluation on simulated people, its numbers beside the published ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from understudy.mechanisms.fields import Field, Group, Option, Table, Words
from understudy.mechanisms.kinds import Whole
from understudy.studies.reproduction import Asked, Definition, Document, Told

if TYPE_CHECKING:
    from understudy.mechanisms.errata import Errata

_TARGET: Final = "WAGP"
_SEED: Final = 2013
_QUICK: Final = 10

ROWS: Final = Field(
    name="rows",
    words=Words("People", "How many people are simulated."),
    kind=Whole(),
    group=Group("The simulated census", "On the simulated census"),
    option=Option(
        "How many people to simulate (default 1500000; with --quick 150000).", metavar="N"
    ),
)


FIELDS: Final = Table((ROWS,))


@dataclass(frozen=True)
class Census:
    """As `Reproduction`."""

    name: str = "census"
    title: str = "the evaluation of seedbased synthesis, on simulated people like the published"
    fields: Table = FIELDS
    draws: bool = True

    def check(self, asked: Asked) -> None:
        """Nothing can be wrong that is not found at once by `run`."""

    def run(self, asked: Asked, told: Told) -> Document:
        """As `Reproduction`."""
        from understudy.privacy.randomness import RandomSource
        from understudy.samples import census
        from understudy.studies.seedbased.documents import document
        from understudy.studies.seedbased.report import Circumstances
        from understudy.studies.seedbased.running import reproduce
        from understudy.studies.seedbased.setting import (
            PUBLISHED_ROWS,
            Setting,
            Sizes,
        )
        from understudy.table.records import Records

        seed = _SEED if asked.seed is None else asked.seed
        usual = PUBLISHED_ROWS // _QUICK if asked.quick else PUBLISHED_ROWS
        rows = asked.settings.get(ROWS.name, usual)
        sizes = Sizes.of(rows)
        told("simulating people")
        schema = census.schema()
        records = Records(schema, census.simulate(rows, seed))
        full = Setting.of(len(schema))
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
        from understudy.studies.seedbased.errata import ERRATA

        return ERRATA

    def definitions(self) -> tuple[Definition, ...]:
        """Return how its numbers are defined."""
        from understudy.studies.seedbased.definitions import DEFINITIONS

        return DEFINITIONS
