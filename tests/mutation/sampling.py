"""Draw some mutants of each module, the same ones each time."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import Final

from tests.mutation.operators import Mutant

_PACKAGE: Final = "engine/understudy/"
"""Where the engine lies; a mutant's turn does not follow from it."""


def draw(mutants: Iterable[Mutant], size: int, seed: int) -> list[Mutant]:
    """Return so many mutants of each module, each equally likely.

    A mutant's turn follows from the seed and its name alone: a larger draw holds a smaller one, and
    a change to the source moves no other mutant.
    """

    def turn(mutant: Mutant) -> str:
        name = mutant.key.removeprefix(_PACKAGE)
        return hashlib.sha256(f"{seed} engine/{name}".encode()).hexdigest()

    drawn: Counter[str] = Counter()
    chosen = []
    for each in sorted(mutants, key=turn):
        if drawn[each.path] < size:
            drawn[each.path] += 1
            chosen.append(each)
    return chosen
