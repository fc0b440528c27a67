"""In which order the runs are made: what is waited for longest begins first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.peers.methods import Method
from benchmarks.peers.running import Run

EPSILONS = (1.0, 0.1, 10.0)
SEEDS = (1, 2, 3)

_FIRST = 2
"""So many of the ε come before the others, with all seeds."""


def grid(
    tables: Sequence[str],
    epsilons: Sequence[float],
    seeds: Sequence[int],
    methods: Sequence[Method],
) -> Iterator[Run]:
    """Every run once.

    Slow methods take one seed after another, so that there is something of everything soon. All
    seeds of the others follow the first slow run of a table and an ε.
    """
    for together in (epsilons[:_FIRST], epsilons[_FIRST:]):
        for seed in seeds:
            for epsilon in together:
                for table in tables:
                    yield from (
                        Run(each.key, table, epsilon, seed) for each in methods if each.slow
                    )
                    if seed == seeds[0]:
                        yield from (
                            Run(each.key, table, epsilon, every)
                            for each in methods
                            if not each.slow
                            for every in seeds
                        )
