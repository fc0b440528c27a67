"""The simulated census at the size of the published evaluation, already split."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from engine.table.records import Records
from engine.table.split import Split
from sample_data import census

SEEDS, STRUCTURE, PARAMETERS, HELD_OUT = 735_000, 280_000, 280_000, 100_000


@dataclass(frozen=True)
class Sizes:
    """How many records each part gets."""

    seeds: int = SEEDS
    structure: int = STRUCTURE
    parameters: int = PARAMETERS
    held_out: int = HELD_OUT

    def tenth(self) -> Sizes:
        """The same at a tenth of the size."""
        return Sizes(
            self.seeds // 10, self.structure // 10, self.parameters // 10, self.held_out // 10
        )


def parts(sizes: Sizes, seed: int = 2013) -> Split:
    """Simulated records, cut by position: the simulator's records are exchangeable."""
    bounds = [0]
    for size in (sizes.seeds, sizes.structure, sizes.parameters, sizes.held_out):
        bounds.append(bounds[-1] + size)
    codes = census.simulate(bounds[-1], seed)
    schema = census.schema()
    return Split(*(Records(schema, codes[start:stop].copy()) for start, stop in pairwise(bounds)))
