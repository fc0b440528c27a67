"""Numbers projected on a few directions, disturbed there, and decoded: noise in latent space
(Bindschaedler 2018, Definition 6.4), on a public grid.

A candidate is not a record but its disturbed coordinates, and what rides along. That is what the
privacy test is about; a record is made of it afterwards, without looking at any seed:

    candidate of seed d     (z(d) + ζ, r(d) kept or redrawn)
    p_d(candidate)          Pr{ζ = candidate's coordinates − z(d)} · Pr{riding along | r(d)}

Both factors are exact, nothing is integrated or sampled, so e^{log_likelihood} is the law of
`propose`. Directions and grid are public, or made of noisy answers about records that are no seeds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import AnyArray, CodeArray, FloatArray, NamedArrays
from understudy.models.bayesnet.redrawn import Redrawn
from understudy.models.latent.decoding import Decoder
from understudy.models.latent.grid import Grid
from understudy.models.latent.riding import Riding
from understudy.models.latent.standardised import Standardised
from understudy.privacy.randomness import RandomSource
from understudy.table.schema import Schema


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
    grid: Grid
    decoder: Decoder
    kept: Redrawn | None

    def propose(self, seeds: CodeArray, source: RandomSource) -> CodeArray:
        """(B, w + r) a candidate of each of (B, m) seeds: coordinates, then what rides along."""
        numbers = Standardised.of(self.schema)
        moved = self.grid.disturbed(self.grid.coordinates(numbers.numbers(seeds)), source)
        if self.kept is None:
            return moved
        along = self.kept.propose(Riding.of(self.schema, numbers).codes(seeds), source)
        return np.column_stack([moved, along])

    def log_likelihood(self, seeds: CodeArray, candidates: CodeArray) -> FloatArray:
        """(n, B) ln p_d(y) of (n, m) records d and (B, w + r) candidates y."""
        numbers, axes = Standardised.of(self.schema), self.grid.axes
        own = self.grid.coordinates(numbers.numbers(seeds))
        found = self.grid.log_likelihood(own, candidates[:, :axes])
        if self.kept is not None:
            along = Riding.of(self.schema, numbers).codes(seeds)
            # Two numbers that are exact for themselves: their sum is rounded once.
            found += self.kept.log_likelihood(along, candidates[:, axes:])
        return found

    def decoded(self, candidates: CodeArray, source: RandomSource) -> CodeArray:
        """(B, m) a record of each candidate, in schema order."""
        numbers, axes = Standardised.of(self.schema), self.grid.axes
        riding = Riding.of(self.schema, numbers)
        drawn = self.decoder.draw(self.grid.middles(candidates[:, :axes]), source)
        made = np.empty((len(candidates), len(self.schema)), dtype=np.uint16)
        made[:, numbers.places] = numbers.codes(drawn)
        along = candidates[:, axes:]
        made[:, riding.whole] = along[:, : len(riding.whole)]
        for at, place in enumerate(riding.missing, start=len(riding.whole)):
            made[along[:, at] == 1, place] = numbers.sizes[numbers.places.index(place)]
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
    def restored(cls, schema: Schema, arrays: NamedArrays) -> Projected:
        """Return the model that gave these arrays.

        Raises:
            KeyError, ValueError: there is none.
        """
        directions, centre, width, law, places = (
            arrays[name].astype(np.int64)
            for name in ("directions", "centre", "width", "law", "places")
        )
        grid = Grid(directions, centre, width, law, int(places[0]))
        real = (arrays[name].astype(np.float64) for name in ("offset", "gain", "open"))
        riding = Riding.of(schema, Standardised.of(schema))
        chances = tuple(arrays[f"chances{at}"].astype(np.int64) for at in range(len(riding)))
        return cls(schema, grid, Decoder(*real), Redrawn(chances) if chances else None)
