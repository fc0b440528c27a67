"""Numbers projected on a few directions, disturbed there, and decoded: noise in latent space
(Bindschaedler 2018, Definition 6.4), on a public grid.

A candidate is not a record but its disturbed coordinates, and side columns: categories, and whether
a number is missing, each kept, or drawn afresh from noisy counts, by a coin of its own (the model
of `Redrawn` over these attributes). The privacy test is about the candidate; a record is made of it
afterwards, without looking at any seed:

    candidate of seed d     (z(d) + ζ, r(d) kept or redrawn)
    p_d(candidate)          Pr{ζ = candidate's coordinates − z(d)} · Pr{side columns | r(d)}

Both factors are exact, nothing is integrated or sampled, so e^{log_likelihood} is the law of
`propose`. Directions and grid are public, or made of noisy answers about records that are no seeds.

The learner asks two questions under one budget: second moments of the numbers, and counts of the
side columns. The rest is post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import AnyArray, CodeArray, FloatArray, IntArray, NamedArrays
from understudy.models.bayesnet.redrawn import Redrawn
from understudy.models.categorical import integer_weights
from understudy.models.latent.features import Standardised
from understudy.models.latent.grid import DEVIATION, Decoder, ProjectionGrid, normal_law
from understudy.models.latent.moments import SecondMoments, entries, measure_sums
from understudy.models.latent.principal import learn_directions, public
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.schema import Schema

_PRIOR = 1.0
"""The weight of every value alike, in records, over an attribute."""


@dataclass(frozen=True)
class Riding:
    """Which columns ride along.

    Attributes:
        whole: columns without numbers, by index in the schema, with all their values.
        missing: columns of numbers that may be missing; 0 says that one is there, 1 that it is
            missing with the first code for that, and so on.
        sizes: how many values each has, those of `whole` first.
        numbers: the columns of numbers.
    """

    whole: tuple[int, ...]
    missing: tuple[int, ...]
    sizes: tuple[int, ...]
    numbers: Standardised

    @classmethod
    def of(cls, schema: Schema, numbers: Standardised) -> Riding:
        """Return those of a schema, beside its columns of numbers."""
        whole = tuple(each for each in range(len(schema)) if each not in numbers.places)
        missing = tuple(each for each in numbers.places if schema.columns[each].missing)
        sizes = [int(schema.cardinalities[each]) for each in whole]
        sizes += [1 + schema.columns[each].missing_count for each in missing]
        return cls(whole, missing, tuple(sizes), numbers)

    def __len__(self) -> int:
        return len(self.sizes)

    def codes(self, codes: CodeArray) -> CodeArray:
        """Return (n, r) the values that ride along, of (n, m) codes in schema order."""
        at = [self.numbers.places.index(each) for each in self.missing]
        beyond = codes[:, self.missing].astype(np.int64) - self.numbers.sizes[at] + 1
        which = np.maximum(0, beyond).astype(np.uint16)
        return np.column_stack([codes[:, self.whole], which])

    def measure(self, codes: CodeArray, allowance: Allowance, noise: Noise) -> tuple[IntArray, ...]:
        """Return the share of every value of each, out of 2^48, from counts with noise on every
        one.

        Args:
            codes: (n, m) in schema order.
            allowance: what is spent on all of them, divided evenly.
            noise: where the noise comes from.
        """
        found, held = [], self.codes(codes)
        for place, size in enumerate(self.sizes):
            counts = np.bincount(held[:, place], minlength=size).astype(np.int64)
            noisy = np.maximum(0, allowance.part(1 / len(self)).table(counts, noise))
            found.append(integer_weights((noisy + _PRIOR / size)[None])[0])
        return tuple(found)

    def present(self, shares: tuple[IntArray, ...]) -> FloatArray:
        """Return (c,) which share of each column of numbers is there, by these shares."""
        found = dict.fromkeys(self.numbers.places, 1.0)
        for place, each in zip(self.missing, shares[len(self.whole) :], strict=True):
            found[place] = float(each[0]) / float(each.sum())
        return np.array(list(found.values()))

    def model(self, shares: tuple[IntArray, ...], redrawn: float) -> Redrawn | None:
        """Return the model that keeps or redraws them; None where none rides along."""
        return Redrawn.of_weights(shares, redrawn) if shares else None


@dataclass(frozen=True, eq=False)
class Projected:
    """The model over one schema.

    Attributes:
        schema: of the records.
        grid: where numbers are disturbed.
        decoder: numbers of coordinates.
        kept: what becomes of what rides along; None where nothing does.
    """

    schema: Schema
    grid: ProjectionGrid
    decoder: Decoder
    kept: Redrawn | None

    def propose(self, seeds: CodeArray, source: RandomSource) -> CodeArray:
        """Return (B, w + r) a candidate of each of (B, m) seeds: coordinates, then what rides
        along."""
        numbers = Standardised.of(self.schema)
        moved = self.grid.disturb(self.grid.coordinates(numbers.numbers(seeds)), source)
        if self.kept is None:
            return moved
        along = self.kept.propose(Riding.of(self.schema, numbers).codes(seeds), source)
        return np.column_stack([moved, along])

    def log_likelihood(self, seeds: CodeArray, candidates: CodeArray) -> FloatArray:
        """Return (n, B) ln p_d(y) of (n, m) records d and (B, w + r) candidates y."""
        numbers, axes = Standardised.of(self.schema), self.grid.axes
        own = self.grid.coordinates(numbers.numbers(seeds))
        found = self.grid.log_likelihood(own, candidates[:, :axes])
        if self.kept is not None:
            along = Riding.of(self.schema, numbers).codes(seeds)
            # Two numbers that are exact for themselves: their sum is rounded once.
            found += self.kept.log_likelihood(along, candidates[:, axes:])
        return found

    def decode(self, candidates: CodeArray, source: RandomSource) -> CodeArray:
        """Return (B, m) a record of each candidate, in schema order."""
        numbers, axes = Standardised.of(self.schema), self.grid.axes
        riding = Riding.of(self.schema, numbers)
        drawn = self.decoder.draw(self.grid.middles(candidates[:, :axes]), source)
        made = np.empty((len(candidates), len(self.schema)), dtype=np.uint16)
        made[:, numbers.places] = numbers.codes(drawn)
        along = candidates[:, axes:]
        made[:, riding.whole] = along[:, : len(riding.whole)]
        for at, place in enumerate(riding.missing, start=len(riding.whole)):
            gone = along[:, at] > 0
            first = numbers.sizes[numbers.places.index(place)]
            made[gone, place] = first + along[gone, at] - 1
        return made

    def arrays(self) -> NamedArrays:
        """Return all that it is made of."""
        grid, decoder = self.grid, self.decoder
        found: dict[str, AnyArray] = {
            "directions": grid.directions,
            "centre": grid.centre,
            "width": grid.width,
            "law": grid.law,
            "places": np.array([grid.places]),
            "offset": decoder.offset,
            "gain": decoder.gain,
            "open": decoder.open,
        }
        chances = () if self.kept is None else self.kept.chances
        return {**found, **{f"chances{at}": each for at, each in enumerate(chances)}}

    @classmethod
    def restore(cls, schema: Schema, arrays: NamedArrays) -> Projected:
        """Return the model that gave these arrays.

        Raises:
            KeyError, ValueError: there is none.
        """
        directions, centre, width, law, places = (
            arrays[name].astype(np.int64)
            for name in ("directions", "centre", "width", "law", "places")
        )
        grid = ProjectionGrid(directions, centre, width, law, int(places[0]))
        real = (arrays[name].astype(np.float64) for name in ("offset", "gain", "open"))
        riding = Riding.of(schema, Standardised.of(schema))
        chances = tuple(arrays[f"chances{at}"].astype(np.int64) for at in range(len(riding)))
        return cls(schema, grid, Decoder(*real), Redrawn(chances) if chances else None)


MOMENTS: Final = 0.7
"""The share of the budget that second moments get, where something rides along."""


@dataclass(frozen=True)
class ProjectionShape:
    """What is decided of the model beforehand.

    Attributes:
        axes: how many directions there are, at most; never more than columns of numbers.
        learned: whether they are learned, or the public cosines over the columns.
        disturbed: the deviation of the noise on a coordinate, as a share of the coordinate's own.
        redrawn: the chance that what rides along is drawn afresh.
    """

    axes: int
    learned: bool
    disturbed: float
    redrawn: float


@dataclass(frozen=True)
class ProjectedLearner:
    """Learns the model of one schema under one budget.

    Attributes:
        schema: the columns, of which one has numbers at least.
        budget: the (ε, δ) to stay within.
        allowance: what is spent, in its currency.
    """

    schema: Schema
    budget: Budget
    allowance: Allowance

    @classmethod
    def within(cls, schema: Schema, budget: Budget) -> ProjectedLearner:
        """Return the learner that spends at most `budget`."""
        numbers = Standardised.of(schema)
        queries = entries(len(numbers)) + len(Riding.of(schema, numbers))
        return cls(schema, budget, Allowance.of(budget, queries))

    @property
    def cost(self) -> Budget:
        """What the records pay."""
        return Budget(self.budget.epsilon) if self.allowance.currency == "epsilon" else self.budget

    def learn(self, records: Records, shape: ProjectionShape, noise: Noise) -> Projected:
        """Ask the questions and make the model.

        Args:
            records: all the records it may look at.
            shape: what was decided beforehand.
            noise: where the noise comes from.
        """
        numbers = Standardised.of(self.schema)
        riding = Riding.of(self.schema, numbers)
        share = MOMENTS if len(riding) else 1.0
        noisy = measure_sums(numbers.numbers(records.codes), self.allowance.part(share), noise)
        along = riding.measure(records.codes, self.allowance.part(1 - share), noise)
        moments = SecondMoments.of(noisy, riding.present(along))
        grid = grid_of(moments, shape)
        return Projected(
            self.schema, grid, Decoder.of(moments, grid), riding.model(along, shape.redrawn)
        )


def grid_of(moments: SecondMoments, shape: ProjectionShape) -> ProjectionGrid:
    """Return the grid for numbers of these moments: its noise is so much of what each coordinate
    varies by."""
    columns = len(moments.mean)
    found = (
        learn_directions(moments.covariance, shape.axes)
        if shape.learned
        else public(columns, shape.axes)
    )
    along: FloatArray = found.astype(np.float64)
    # No variance is below 0 but by rounding.
    varies = np.sqrt(np.maximum(np.einsum("ck,cd,dk->k", along, moments.covariance, along), 0.0))
    width = np.maximum(1, np.rint(varies * shape.disturbed / DEVIATION)).astype(np.int64)
    centre = np.rint(moments.mean @ along).astype(np.int64)
    return ProjectionGrid(found, centre, width, normal_law())
