"""The settings of a plan of scored candidates: their kinds from the plan, their words from here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from understudy.mechanisms.derived import GROUP, derived_fields
from understudy.mechanisms.fields import Field, Place, Table, Values, Words
from understudy.mechanisms.kinds import Choice
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.mechanisms.scored.proposers import OWN, installed, settings_of

_PROPOSER: Final = "proposer"
_TITLES: Final = {
    "redrawn": "Redrawn",
    "projected": "Projected",
    "projection": "Projection of flags",
    "latent-noise": "Latent noise on flags",
    "factor-noise": "Latent noise over factors",
    "network-noise": "Latent noise over a network",
}
_WORDS: Final[Mapping[str, Words]] = {
    "proposer": Words(
        "Proposer",
        "What makes a candidate of each seed, and says how likely every other makes it.",
        "**Redrawn** keeps each column of a seed or draws it afresh, by a coin of its own. "
        "**Projected** is for numbers: it moves a seed along a few directions in which the table "
        "varies. **Projection of flags** and **latent noise on flags** are for tables whose "
        "columns all have two values: the one draws each flag by what a few directions keep of "
        "a seed, the other disturbs where a seed lies along them. **Latent noise over factors** "
        "and **over a network** disturb what such a model knows of a seed by as much as it leaves "
        "open. Others are of packages that "
        "are installed, on their own word.",
    ),
    "epsilon": Words(
        "ε of the proposer",
        "What learning the proposer may spend.",
        "It is learned from other records than the seeds, so the larger of this and what the "
        "attempts cost counts, not the sum.",
    ),
    "attempts": Words(
        "Attempts",
        "How many candidates are made, fixed before the run.",
        "Only those that pass the test are released. Every attempt adds to the total, whether it "
        "passes or not.",
    ),
    "seeds_among": Words(
        "Seeds among",
        "Which records candidates are made from, such as “REGION = North or South” or “AGE = 65 "
        "to 120”; empty for all.",
        "Rows then stand for these people alone. The proposer is learned from all other records "
        "too. Choose whom by what you want to know, not by looking at the records. A small group "
        "has few plausible seeds, so little of it passes.",
    ),
    "copies": Words(
        "Rows of each candidate",
        "How many rows are made of every candidate that passes.",
        "What the test is about is released already, so more rows cost nothing. Those of one "
        "candidate are not independent of each other; where candidates are records, as of the "
        "proposers redrawn and projection, they are equal.",
    ),
    "delta": Words("δ", "The δ of the total, which every part stays within."),
    "records_per_person": Words(
        "Records per person", "The most records that one person may have in the table."
    ),
    "seeds_at_least": Words(
        "Seeds counted on",
        "How many seed records there are at least.",
        "The more there are for certain, the less each attempt costs.",
    ),
    "public_records": Words(
        "Records publicly known",
        "How many records everybody may know the table to have at least.",
        "As confirmed by you, whoever of its people is taken out. Where seeds are among some "
        "records only, how many of those.",
    ),
    "seeds": Words(
        "Share of the seeds",
        "The chance that a record is a seed.",
        "The proposer is learned from records that are neither seeds nor held out.",
    ),
    "held_out": Words("Share held out", "The chance that a record is only compared with."),
}


def fields() -> Table:
    """Return a field for each setting; the proposers are those that are there, each with its
    own."""
    found = derived_fields(ScoredPlan)
    told: list[Field] = []
    for each in found:
        if each.name == "numbers":
            told += _of_proposers()
        else:
            told.append(_worded(each))
    return Table(tuple(told), found.derived)


def _worded(each: Field) -> Field:
    words = _WORDS.get(each.name, each.words)
    if each.name != _PROPOSER:
        return replace(each, words=words)
    proposers = (*OWN, *installed())
    return replace(
        each, words=words, kind=Choice({name: _TITLES.get(name, name) for name in proposers})
    )


def _of_proposers() -> Iterator[Field]:
    """Yield the settings of every proposer, each while it is chosen."""
    for proposer in (*OWN, *installed()):
        for each in settings_of(proposer):
            name = f"{proposer}.{each.name}"
            yield Field(
                name=name,
                words=each.words,
                kind=each.kind,
                group=GROUP,
                places=(Place(name, f"numbers.{each.name}"),),
                usual=each.usual,
                told=True,
                applies=_chosen(proposer),
                only_where_used=True,
            )


def _chosen(proposer: str) -> Callable[[Values], bool]:
    return lambda values: values.get(_PROPOSER) == proposer
