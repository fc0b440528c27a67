"""Conditional probability tables: written as text, drawn from by the million."""

from __future__ import annotations

import numpy as np

from understudy.core.arrays import FloatArray, IntArray


def table(text: str) -> FloatArray:
    """Return the numbers of a table written as text, shape (rows, columns).

    The first line names the columns; each later line is a row's name, then its numbers.
    """
    header, *rows = [line.split() for line in text.splitlines() if line.strip()]
    numbers = np.array([row[1:] for row in rows], dtype=np.float64)
    if numbers.shape[1] != len(header):
        raise ValueError(f"a row of {numbers.shape[1]} numbers under {len(header)} column names")
    return numbers


def factors(names: tuple[str, ...], exceptions: str, *, default: float = 1.0) -> FloatArray:
    """Return one number per name, shape (len(names),): the default, save for the exceptions.

    The exceptions are written as names and numbers in turn.
    """
    words = exceptions.split()
    numbers = dict(zip(words[::2], map(float, words[1::2]), strict=True))
    unknown = numbers.keys() - set(names)
    if unknown:
        raise ValueError(f"no such names: {', '.join(sorted(unknown))}")
    return np.array([numbers.get(name, default) for name in names])


class Conditional:
    """Pr{child | parents} for one child and any number of parents.

    Args:
        weights: non-negative, shape (cardinality of each parent …, cardinality of the child);
            along the last axis they need not sum to one.
    """

    def __init__(self, weights: FloatArray) -> None:
        *self.parents, self.cardinality = weights.shape
        rows = weights.reshape(-1, self.cardinality)
        cumulative = np.cumsum(rows, axis=1)
        # Row r occupies [r, r + 1), so that one sorted search serves every row at once.
        steps = cumulative / cumulative[:, -1:] + np.arange(len(rows))[:, None]
        self._steps = steps.ravel()

    def draw(self, random: np.random.Generator, *parents: IntArray) -> IntArray:
        """Return one child code per record, given the parents' codes, each of shape (n,)."""
        row: IntArray = np.ravel_multi_index(parents, self.parents)
        # Adding may round up to the next row's start.
        place: FloatArray = np.minimum(row + random.random(len(row)), np.nextafter(row + 1.0, 0.0))
        position = np.searchsorted(self._steps, place, side="right")
        child: IntArray = position - row * self.cardinality
        return child
