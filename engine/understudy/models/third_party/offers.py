"""Installed third-party models: the protocol of a learner, and finding learners by name."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol

from understudy.core.arrays import NamedArrays
from understudy.core.refusal import Refusal
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.third_party.claim import Claim, refusal
from understudy.models.third_party.laws import Law
from understudy.privacy.budget import Budget
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.schema import Schema

GROUP = "understudy.models"


@dataclass(frozen=True)
class ThirdPartyModel:
    """What a third-party learner returns.

    Attributes:
        model: a network, or a law.
        guarantee: the (ε, δ) of its learning, for one record added or removed, as claimed.
    """

    model: BayesianNetwork | Law
    guarantee: Budget


class Learner(Protocol):
    """What a package provides: the entry point names a callable without arguments that returns one.

    Attributes:
        source, covers: see `Claim`. They must not depend on the records.
    """

    @property
    def source(self) -> str: ...

    @property
    def covers(self) -> str: ...

    def learn(self, records: Records, budget: Budget, source: RandomSource) -> ThirdPartyModel:
        """Return a model of the records.

        Args:
            records: the only records that it may use. Their number is confidential too.
            budget: the most that it may spend; unbounded to learn without noise, for comparison.
            source: randomness. A learner with a generator of its own must not be predictable.

        Raises:
            Refusal: it cannot. The message must not contain anything of a record.
        """
        ...

    def load(self, schema: Schema, arrays: NamedArrays) -> Law:
        """Return the law that gave these `arrays`. Never called for a learner of networks."""
        ...


@dataclass(frozen=True, eq=False)
class Offer:
    """An installed learner.

    Attributes:
        name: the entry point.
        version: of its package.
        learner: the learner.
    """

    name: str
    version: str
    learner: Learner

    @property
    def claim(self) -> Claim:
        """The claim of the learner."""
        return Claim(name=self.name, source=self.learner.source, covers=self.learner.covers)


def names() -> tuple[str, ...]:
    """Return the names of installed third-party models."""
    return tuple(sorted(entry_points(group=GROUP).names))


def claims() -> tuple[Claim, ...]:
    """Return the claims of installed third-party models that can be loaded."""
    found = []
    for name in names():
        with suppress(Refusal):
            found.append(third_party_model(name).claim)
    return tuple(found)


def third_party_model(name: str) -> Offer:
    """Return a third-party model by its name.

    Raises:
        Refusal: it is not installed, or something it needs is not.
    """
    found = list(entry_points(group=GROUP, name=name))
    if not found:
        known = ", ".join(names())
        raise refusal(
            f"No third-party model is installed as “{name}”.",
            "Install the package that brings it"
            + (f", or choose one that is: {known}." if known else "."),
        )
    return _loaded(name, found[0])


def _loaded(name: str, entry: EntryPoint) -> Offer:
    try:
        learner = entry.load()()
    except Refusal:
        raise
    except ImportError as error:
        raise refusal(
            f"The third-party model “{name}” needs {error.name or 'something'}, which is missing.",
            "Install what it needs, or choose another model.",
        ) from None
    except Exception as error:
        raise refusal(
            f"The third-party model “{name}” cannot be loaded: {type(error).__name__}.",
        ) from None
    return Offer(name, entry.dist.version if entry.dist else "", learner)
