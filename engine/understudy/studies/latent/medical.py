"""Tables 9.1 to 9.5 and Figures 9.1 to 9.3 of the published latent models."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from understudy.mechanisms.fields import Field, FieldGroup, FieldTable, Option, Words
from understudy.mechanisms.kinds import Whole
from understudy.studies.latent.publication import FULL, QUICK, LatentStudySizes
from understudy.studies.reproduction import Definition, Document, ReproductionRequest, Told

if TYPE_CHECKING:
    from understudy.mechanisms.errata import Errata

_SEED: Final = 2013
_GROUP: Final = FieldGroup("Latent models as published", "On latent models as published")
_FEWEST: Final = 1_000

STAYS: Final = Field(
    name="stays",
    words=Words("How many stays candidates are made of", "How many stays are seeds."),
    kind=Whole(),
    group=_GROUP,
    option=Option(
        "How many stays in hospital candidates are made of (default 2000000; with --quick 100000).",
        metavar="N",
    ),
)
FIELDS: Final = FieldTable((STAYS,))


@dataclass(frozen=True)
class Medical:
    """As `Reproduction`."""

    name: str = "medical"
    title: str = "latent models of hospital discharges, before and after the test"
    fields: FieldTable = FIELDS
    draws: bool = True

    def check(self, asked: ReproductionRequest) -> None:
        """Check the size.

        Raises:
            Refusal: there are too few stays.
        """
        from understudy.core.refusal import Refusal

        if self.sizes(asked).seeds < _FEWEST:
            raise Refusal(
                "There are too few stays to measure.", f"Give {_FEWEST:,} or more.", field="stays"
            )

    def sizes(self, asked: ReproductionRequest) -> LatentStudySizes:
        """Return how much is done."""
        usual = QUICK if asked.quick else FULL
        given = asked.settings.get(STAYS.name)
        return usual if given is None else replace(usual, seeds=given)

    def run(self, asked: ReproductionRequest, told: Told) -> Document:
        from understudy.studies.latent.evaluation import reproduce

        return reproduce(
            self.sizes(asked), _SEED if asked.seed is None else asked.seed, asked, told
        )

    def errata(self) -> tuple[Errata, ...]:
        """Return the errors of the publication."""
        from understudy.studies.latent.claims import ERRATA

        return ERRATA

    def definitions(self) -> tuple[Definition, ...]:
        """Return how its numbers are defined."""
        from understudy.studies.latent.claims import DEFINITIONS

        return DEFINITIONS
