"""The published simulations, run again: Table 1, Table 2, and the errors of Figures 2 and 4."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Final

from understudy.mechanisms.fields import Field, FieldGroup, FieldTable, Option, Words
from understudy.mechanisms.kinds import Whole
from understudy.studies.pmse.publication import FULL, QUICK, PmseStudySizes
from understudy.studies.reproduction import Definition, Document, ReproductionRequest, Told

if TYPE_CHECKING:
    from understudy.mechanisms.errata import Errata

_SEED: Final = 2018
_GROUP: Final = FieldGroup("The published simulations", "On the published simulations")


def _number(name: str, label: str, told: str) -> Field:
    return Field(
        name=name,
        words=Words(label, f"{label}."),
        kind=Whole(),
        group=_GROUP,
        option=Option(told, metavar="N"),
    )


CHANGES: Final = _number(
    "changes",
    "How many changed records are tried for Table 1",
    "How many changed records to try for Table 1 (default 2000; with --quick 60).",
)
REPEATS: Final = _number(
    "repeats",
    "How many tables each method makes at each ε",
    "How many tables each method makes at each ε (default 20; with --quick 2).",
)
STEPS: Final = _number(
    "steps",
    "How many steps the practised chain takes",
    "How many steps the practised chain takes (default 1000; with --quick 0, which leaves it out).",
)
FIELDS: Final = FieldTable((CHANGES, REPEATS, STEPS))


@dataclass(frozen=True)
class Tables:
    """As `Reproduction`."""

    name: str = "pmse"
    title: str = "the simulations of the pMSE mechanism, beside other ways at the same ε"
    fields: FieldTable = FIELDS
    draws: bool = True

    def check(self, asked: ReproductionRequest) -> None:
        """Check the sizes.

        Raises:
            Refusal: one is negative, or nothing would be tried.
        """
        from understudy.core.refusal import Refusal

        sizes = self.sizes(asked)
        if min(sizes.changes, sizes.repeats) < 1 or sizes.steps < 0:
            raise Refusal(
                "Nothing would be tried.", "Give numbers of at least 1, and of 0 for the steps."
            )
        if asked.quick and all(asked.settings.get(name) is not None for name in asdict(FULL)):
            raise Refusal(
                "--quick says nothing where all three numbers are given.", "Leave it out."
            )

    def sizes(self, asked: ReproductionRequest) -> PmseStudySizes:
        """Return how much is tried."""
        usual = QUICK if asked.quick else FULL
        given = {name: value for name, value in asked.settings.items() if value is not None}
        return replace(usual, **given)

    def run(self, asked: ReproductionRequest, told: Told) -> Document:
        import numpy as np

        from understudy.studies.pmse.evaluation import reproduce

        seed = _SEED if asked.seed is None else asked.seed
        return reproduce(self.sizes(asked), np.random.default_rng(seed), asked, told)

    def errata(self) -> tuple[Errata, ...]:
        """Return the errors of the publication."""
        from understudy.studies.pmse.claims import ERRATA

        return ERRATA

    def definitions(self) -> tuple[Definition, ...]:
        """Return how its numbers are defined."""
        from understudy.studies.pmse.claims import DEFINITIONS

        return DEFINITIONS
