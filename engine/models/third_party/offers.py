"""Which third-party models are installed, and what each of them has to offer."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol

import numpy as np
import numpy.typing as npt

from engine.core.refusal import Refusal
from engine.models.bayesnet.network import BayesianNetwork
from engine.models.third_party.claim import Claim, refusal
from engine.models.third_party.laws import Law
from engine.privacy.budget import Budget
from engine.privacy.randomness import RandomSource
from engine.table.records import Records
from engine.table.schema import Schema

GROUP = "understudy.models"

Arrays = Mapping[str, npt.NDArray[np.generic]]


@dataclass(frozen=True)
class ThirdPartyModel:
    """What a third-party learner returns.

    Attributes:
        model: a network, or a law.
        guarantee: the (ε, δ), for one record added or removed, that its learning promises.
    """

    model: BayesianNetwork | Law
    guarantee: Budget


class Learner(Protocol):
    """What a package offers: the entry point names something that makes one without arguments.

    Attributes:
        source, covers: see `Claim`. The same whatever the records are.
    """

    @property
    def source(self) -> str: ...

    @property
    def covers(self) -> str: ...

    def learn(self, records: Records, budget: Budget, source: RandomSource) -> ThirdPartyModel:
        """A model of the records.

        Args:
            records: all that it may look at. Their number is confidential too.
            budget: the most that it may spend; unbounded to learn without noise, for comparison.
            source: randomness. A learner with a generator of its own must not be predictable.

        Raises:
            Refusal: it cannot. Nothing of a record may be in it.
        """
        ...

    def load(self, schema: Schema, arrays: Arrays) -> Law:
        """The law that gave these `arrays`. Never called for a learner of networks."""
        ...


@dataclass(frozen=True, eq=False)
class Offer:
    """An installed learner.

    Attributes:
        name: what it is installed as.
        version: of its package.
        learner: it.
    """

    name: str
    version: str
    learner: Learner

    @property
    def claim(self) -> Claim:
        """What it says of itself."""
        return Claim(name=self.name, source=self.learner.source, covers=self.learner.covers)


def names() -> tuple[str, ...]:
    """The third-party models that are installed."""
    return tuple(sorted(entry_points(group=GROUP).names))


def claims() -> tuple[Claim, ...]:
    """What every installed third-party model says of itself, where all that it needs is there."""
    found = []
    for name in names():
        with suppress(Refusal):
            found.append(offered(name).claim)
    return tuple(found)


def offered(name: str) -> Offer:
    """A third-party model by its name.

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
