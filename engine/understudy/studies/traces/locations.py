"""Tables 7.1 and 7.2 and figures 7.3 to 7.9 of the published fake traces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from understudy.mechanisms.fields import Field, FieldGroup, FieldTable, Option, Words
from understudy.mechanisms.kinds import Whole
from understudy.studies.reproduction import Definition, Document, ReproductionRequest, Told
from understudy.studies.traces.publication import FULL, QUICK, TracesStudySizes

if TYPE_CHECKING:
    from understudy.mechanisms.errata import Errata

_SEED: Final = 2018
_GROUP: Final = FieldGroup("Fake traces as published", "On fake traces as published")


def _number(name: str, label: str, told: str) -> Field:
    return Field(
        name=name,
        words=Words(label, f"{label}."),
        kind=Whole(),
        group=_GROUP,
        option=Option(told, metavar="N"),
    )


PEOPLE: Final = _number(
    "people", "How many people fakes are made of",
    "How many people fakes are made of (default 30, as published; with --quick 12).",
)  # fmt: skip
RELEASES: Final = _number(
    "releases", "How many data sets of fakes are made",
    "How many data sets of fakes to make (default 10, as published; with --quick 2).",
)  # fmt: skip
FIELDS: Final = FieldTable((PEOPLE, RELEASES))
_FEWEST: Final = 11


@dataclass(frozen=True)
class Locations:
    """As `Reproduction`."""

    name: str = "locations"
    title: str = "fake location traces, what they keep, and who sees through them"
    fields: FieldTable = FIELDS
    draws: bool = True

    def check(self, asked: ReproductionRequest) -> None:
        """Check the sizes.

        Raises:
            Refusal: there are fewer people than fakes are sent with each, or no release.
        """
        from understudy.core.refusal import Refusal

        sizes = self.sizes(asked)
        if sizes.people < _FEWEST or sizes.releases < 1:
            raise Refusal(
                "There are too few people or releases to measure.",
                f"Give {_FEWEST} people or more, as each is hidden among ten others, and one "
                "release or more.",
                field="people" if sizes.people < _FEWEST else "releases",
            )

    def sizes(self, asked: ReproductionRequest) -> TracesStudySizes:
        """Return how much is done."""
        usual = QUICK if asked.quick else FULL
        people, releases = (asked.settings.get(each.name) for each in (PEOPLE, RELEASES))
        return TracesStudySizes(
            usual.people if people is None else people,
            usual.releases if releases is None else releases,
            usual.repeats,
            usual.counted,
        )

    def run(self, asked: ReproductionRequest, told: Told) -> Document:
        from understudy.studies.traces.evaluation import reproduce

        return reproduce(
            self.sizes(asked), _SEED if asked.seed is None else asked.seed, asked, told
        )

    def errata(self) -> tuple[Errata, ...]:
        """Return the errors of the publication."""
        from understudy.studies.traces.claims import ERRATA

        return ERRATA

    def definitions(self) -> tuple[Definition, ...]:
        """Return how its numbers are defined."""
        from understudy.studies.traces.claims import DEFINITIONS

        return DEFINITIONS
