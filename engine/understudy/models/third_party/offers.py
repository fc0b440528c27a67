"""Installed third-party models: found by name, the protocol of a learner, and models given by laws.

A third party may supply the probabilities of an attribute given its parents. They are rounded to
multiples of 2^-48 here, and both sampling and likelihood use the rounded ones, so that they agree,
and every draw comes from this project's generator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import AnyArray, CodeArray, FloatArray, IntArray, NamedArrays
from understudy.core.refusal import Refusal
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.categorical import BITS, WHOLE, integer_weights
from understudy.models.sequential import Columns
from understudy.models.third_party.claim import Claim, refusal
from understudy.privacy.budget import Budget
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.schema import Schema

SUMS_WITHIN = 1e-6
"""How far from 1 a distribution may sum, as in single precision; it is then normalised."""
_CELLS = 1 << 22


@runtime_checkable
class OfferedLaw(Protocol):
    """The conditional probabilities of a model.

    Attributes:
        structure: which attributes each one depends on, and an order with parents first.
    """

    @property
    def structure(self) -> Structure: ...

    def law(self, attribute: int, parents: Sequence[CodeArray]) -> npt.NDArray[np.floating]:
        """Return (n, cardinality) the probabilities of an attribute's codes, a row for each record.

        Rows depend on the parents only: not on other rows, nor on earlier calls.

        Args:
            attribute: by index in the schema.
            parents: (n,) codes of each of its parents, as `structure` names them. An attribute
                without parents has a single row.
        """
        ...

    def arrays(self) -> Mapping[str, AnyArray]:
        """Return arrays from which `Learner.load` can rebuild the same law."""
        ...


@dataclass(frozen=True, eq=False)
class LawModel:
    """A `Law` as a model that a mechanism can use.

    Attributes:
        schema: the domains of its attributes.
        named: its name in refusals.
        told: the law.
    """

    schema: Schema
    named: str
    told: OfferedLaw

    def __post_init__(self) -> None:
        if len(self.told.structure.order) != len(self.schema):
            raise self._refuse("has another number of attributes than the schema has columns")

    @property
    def order(self) -> tuple[int, ...]:
        """The attributes in the order they are drawn in."""
        return self.told.structure.order

    @property
    def parents(self) -> tuple[tuple[int, ...], ...]:
        """Which earlier attributes each one's law looks at."""
        return self.told.structure.parents

    @property
    def conditions(self) -> tuple[tuple[int, ...], ...]:
        """The same: it knows nothing of rules."""
        return self.parents

    @property
    def is_tilted(self) -> bool:
        """Whole records are drawn attribute by attribute."""
        return False

    def draw(self, attribute: int, columns: Columns, source: RandomSource) -> CodeArray:
        """Return fresh codes of one attribute given its parents.

        Raises:
            Refusal: the law is none.
        """
        words = (source.words(len(columns[attribute])) >> np.uint64(64 - BITS)).view(np.int64)

        def draw_codes(weights: IntArray, part: slice) -> AnyArray:
            return np.asarray((np.cumsum(weights, axis=1) <= words[part, None]).sum(axis=1))

        return self._each(attribute, columns, draw_codes).astype(np.uint16)

    def log_likelihood(self, attribute: int, columns: Columns) -> FloatArray:
        """Return ln Pr{code | parents} of one attribute.

        Raises:
            Refusal: the law is none.
        """
        codes = columns[attribute]

        def score_codes(weights: IntArray, part: slice) -> AnyArray:
            at = np.take_along_axis(
                np.broadcast_to(weights, (len(codes[part]), weights.shape[1])),
                codes[part, None].astype(np.int64),
                axis=1,
            )
            with np.errstate(divide="ignore"):
                return np.asarray(np.log(at[:, 0] / float(WHOLE)))

        return self._each(attribute, columns, score_codes).astype(np.float64)

    def records(self, count: int, source: RandomSource) -> CodeArray:
        """Return (m, count) whole records in schema order."""
        columns = np.zeros((len(self.order), count), dtype=np.uint16)
        for attribute in self.order:
            columns[attribute] = self.draw(attribute, list(columns), source)
        return columns

    def _each(
        self,
        attribute: int,
        columns: Columns,
        what: Callable[[IntArray, slice], AnyArray],
    ) -> AnyArray:
        """Apply a function to the distributions of all records, in blocks that fit in memory."""
        many = len(columns[attribute])
        rows = max(1, _CELLS // self.schema.columns[attribute].cardinality)
        parts = [slice(first, min(many, first + rows)) for first in range(0, many, rows)]
        found = [what(self._weights(attribute, columns, part), part) for part in parts]
        return np.concatenate(found) if found else np.empty(0)

    def _weights(self, attribute: int, columns: Columns, part: slice) -> IntArray:
        """Return (rows or 1, cardinality) the distributions in multiples of 2^-48."""
        parents = [columns[parent][part].copy() for parent in self.parents[attribute]]
        try:
            said = np.asarray(self.told.law(attribute, parents), dtype=np.float64)
        except Exception as error:
            raise self._refuse(f"stopped with {type(error).__name__} instead of a law") from None
        rows = part.stop - part.start if parents else 1
        if said.shape != (rows, self.schema.columns[attribute].cardinality):
            raise self._refuse("gives a table of another size than the schema asks for", attribute)
        if not np.isfinite(said).all() or (said < 0).any():
            raise self._refuse("gives a probability that is none", attribute)
        if (np.abs(said.sum(axis=1) - 1) > SUMS_WITHIN).any():
            raise self._refuse("gives probabilities that do not sum to 1", attribute)
        return integer_weights(said)

    def _refuse(self, what: str, attribute: int | None = None) -> Refusal:
        of = "" if attribute is None else f" for “{self.schema.columns[attribute].name}”"
        return refusal(f"The third-party model “{self.named}” {what}{of}.")


GROUP = "understudy.models"


@dataclass(frozen=True)
class ThirdPartyModel:
    """What a third-party learner returns.

    Attributes:
        model: a network, or a law.
        guarantee: the (ε, δ) of its learning, for one record added or removed, as claimed.
    """

    model: BayesianNetwork | OfferedLaw
    guarantee: Budget


class OfferedLearner(Protocol):
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

    def load(self, schema: Schema, arrays: NamedArrays) -> OfferedLaw:
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
    learner: OfferedLearner

    @property
    def claim(self) -> Claim:
        """The claim of the learner."""
        return Claim(name=self.name, source=self.learner.source, covers=self.learner.covers)


def names() -> tuple[str, ...]:
    """Return the names of installed third-party models."""
    return tuple(sorted(entry_points(group=GROUP).names))


def offered_claims() -> tuple[Claim, ...]:
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
    return _load(name, found[0])


def _load(name: str, entry: EntryPoint) -> Offer:
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
