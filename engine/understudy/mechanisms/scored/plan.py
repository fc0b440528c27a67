"""A plan for a model that can propose and score, and nothing more, with its settings and those of
each proposer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import ClassVar, Final

from understudy.core.numerals import significant
from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import Field, FieldTable, Place, holds
from understudy.mechanisms.kinds import Choice
from understudy.mechanisms.plan import (
    Delta,
    Epsilon,
    HeldOut,
    MechanismPlan,
    RecordsKnown,
    RecordsPerPerson,
)
from understudy.mechanisms.scored.proposers import (
    OWN,
    KeepsRules,
    learner_of,
    list_installed,
    proposer_settings,
)
from understudy.mechanisms.setting import OTHERS, declare_setting, derive_fields
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability, PrivacyTest
from understudy.table.schema import Schema
from understudy.table.subpopulation import Subpopulation


class ScoredPlan(MechanismPlan, what="the plan"):
    """Everything a run needs besides the table and its schema."""

    kind: ClassVar[str] = "scored"
    belonging: ClassVar[Mapping[str, str]] = {"numbers": "proposer"}

    proposer: str = declare_setting(
        "redrawn",
        "Proposer",
        "What makes a candidate of each seed, and says how likely every other makes it.",
        min_length=1,
        help="**Redrawn** keeps each column of a seed or draws it afresh, by a coin of its own. "
        "**Projected** is for numbers: it moves a seed along a few directions in which the table "
        "varies. **Projection of flags** and **latent noise on flags** are for tables whose "
        "columns all have two values: the one draws each flag by what a few directions keep of "
        "a seed, the other disturbs where a seed lies along them. **Latent noise over factors** "
        "and **over a network** disturb what such a model knows of a seed by as much as it leaves "
        "open. Others are of packages that "
        "are installed, on their own word.",
    )
    numbers: Mapping[str, float] = declare_setting(
        {},
        "Settings of the proposer",
        "The proposer's own settings, by name.",
    )
    epsilon: Epsilon = declare_setting(
        1.0,
        "ε of the proposer",
        "What learning the proposer may spend.",
        help="It is learned from other records than the seeds, so the larger of this and what the "
        "attempts cost counts, not the sum.",
    )
    test: PrivacyTest = declare_setting(
        PlausibleDeniability(k=50, gamma=4.0, epsilon0=1.0),
        "Test",
        "The privacy test and its parameters.",
    )
    attempts: int = declare_setting(
        2_000,
        "Attempts",
        "How many candidates are made, fixed before the run.",
        ge=1,
        le=10**9,
        help="Only those that pass the test are released. Every attempt adds to the total, "
        "whether it passes or not.",
    )
    seeds_among: str | None = declare_setting(
        None,
        "Seeds among",
        "Which records candidates are made from, such as “REGION = North or South” or “AGE = 65 "
        "to 120”; empty for all.",
        min_length=1,
        help="Rows then stand for these people alone. The proposer is learned from all other "
        "records too. Choose whom by what you want to know, not by looking at the records. A "
        "small group has few plausible seeds, so little of it passes.",
    )
    copies: int = declare_setting(
        1,
        "Rows of each candidate",
        "How many rows are made of every candidate that passes.",
        ge=1,
        le=1_000,
        help="What the test is about is released already, so more rows cost nothing. Those of one "
        "candidate are not independent of each other; where candidates are records, as of the "
        "proposers redrawn and projection, they are equal.",
    )
    delta: Delta = declare_setting(
        1e-9,
        "δ",
        "The δ of the total, which every part stays within.",
    )
    records_per_person: RecordsPerPerson = declare_setting(
        1,
        "Records per person",
        "The most records that one person may have in the table.",
    )
    seeds_at_least: RecordsKnown = declare_setting(
        1_000,
        "Seeds counted on",
        "How many seed records there are at least.",
        help="The more there are for certain, the less each attempt costs.",
    )
    public_records: RecordsKnown | None = declare_setting(
        None,
        "Records publicly known",
        "How many records everybody may know the table to have at least.",
        help="As confirmed by you, whoever of its people is taken out. Where seeds are among some "
        "records only, how many of those.",
    )
    seeds: float = declare_setting(
        0.5,
        "Share of the seeds",
        "The chance that a record is a seed.",
        gt=0,
        lt=1,
        help="The proposer is learned from records that are neither seeds nor held out.",
    )
    held_out: HeldOut = declare_setting(
        0.1,
        "Share held out",
        "The chance that a record is only compared with.",
    )

    def check(self, schema: Schema) -> None:
        """Check that the plan was made for this schema and fits it.

        Raises:
            Refusal: as `MechanismPlan.check`, no record is left to learn from, or the proposer does
                not keep the rules of the schema.
        """
        super().check(schema)
        if schema.kept_rules:
            self._check_rules(schema)
        if self.subpopulation(schema) is not None and self.seeds + self.held_out <= 1:
            return
        if self.seeds + self.held_out >= 1:
            raise Refusal(
                "No record is left for the proposer to be learned from.",
                "Give the seeds and the held-out records less than 1 together.",
                field="seeds",
            )

    def _check_rules(self, schema: Schema) -> None:
        learner = learner_of(self.proposer)
        if not isinstance(learner, KeepsRules):
            raise Refusal(
                f"The schema has rules, and candidates of the proposer “{self.proposer}” may break "
                "them.",
                "Choose the proposer “redrawn”, or set the rules aside for this release.",
                field="proposer",
            )
        learner.check_rules(schema)
        among = self.subpopulation(schema)
        if among is not None and among.place in schema.relations.columns:
            raise Refusal(
                f"Rules bind “{schema.names[among.place]}”, which says whose records are seeds; "
                "rows that are put among these may break them.",
                "Take seeds among records that another column tells apart, or set the rules aside "
                "for this release.",
                field="seeds_among",
            )

    def subpopulation(self, schema: Schema) -> Subpopulation | None:
        """Return whose records are seeds; None where all may be.

        Raises:
            Refusal: the schema has no such column or value.
        """
        if self.seeds_among is None:
            return None
        return Subpopulation.of(self.seeds_among, schema, "seeds_among")


_PROPOSER: Final = "proposer"
_TITLES: Final = {
    "redrawn": "Redrawn",
    "projected": "Projected",
    "projection": "Projection of flags",
    "latent-noise": "Latent noise on flags",
    "factor-noise": "Latent noise over factors",
    "network-noise": "Latent noise over a network",
}


def fields() -> FieldTable:
    """Return a field for each setting of the plan; the proposers are those that are there, each
    with settings of its own."""
    found = derive_fields(ScoredPlan)
    own: list[Field] = []
    for each in found:
        if each.name == "numbers":
            own += _of_proposers()
        elif each.name == _PROPOSER:
            names = (*OWN, *list_installed())
            kind = Choice({name: _TITLES.get(name, name) for name in names})
            places = tuple(replace(at, taken=kind.noun) for at in each.places)
            own.append(replace(each, kind=kind, places=places))
        else:
            own.append(each)
    return FieldTable(tuple(own), found.derived)


def _of_proposers() -> Iterator[Field]:
    """Yield the settings of every proposer, each while it is chosen."""
    for proposer in (*OWN, *list_installed()):
        for each in proposer_settings(proposer):
            name = f"{proposer}.{each.name}"
            yield Field(
                name=name,
                words=each.words,
                kind=each.kind,
                group=OTHERS,
                places=(
                    Place(
                        name,
                        f"numbers.{each.name}",
                        taken=each.range,
                        default=significant(each.usual),
                    ),
                ),
                usual=each.usual,
                told=True,
                applies=holds(_PROPOSER, proposer),
                only_where_used=True,
            )
