"""Small random tables, models and tests for checking claims. Never used in a release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from scipy.special import ndtri

from understudy.core.arrays import FloatArray, IntArray, WordArray
from understudy.core.refusal import Refusal
from understudy.privacy.plausibility.privacy_test import PrivacyTest, TestKind, privacy_test
from understudy.privacy.randomness import RandomSource
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema

_Choice = TypeVar("_Choice")


class RandomInputs:
    """A repeatable stream of small random things.

    Args:
        seed: the same seed gives the same things.

    Attributes:
        source: where its random words come from.
    """

    def __init__(self, seed: int) -> None:
        self.source = RandomSource.fixed(seed)

    def whole(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`, both included."""
        return low + int(self.source.below(high - low + 1, 1)[0])

    def several(self, low: int, high: int, count: int) -> IntArray:
        """So many whole numbers from `low` to `high`."""
        return low + self.source.below(high - low + 1, count)

    def uniforms(self, *shape: int) -> FloatArray:
        """Uniform over (0, 1)."""
        return self.source.uniforms(int(np.prod(shape))).reshape(shape)

    def one_of(self, options: Sequence[_Choice]) -> _Choice:
        """Return one of them, each as likely."""
        return options[self.whole(0, len(options) - 1)]

    def distributions(self, rows: int, values: int) -> FloatArray:
        """Return rows of probabilities, most of them uneven and some of them 0."""
        weights = ndtri(self.uniforms(rows, values)) ** 2
        weights *= self.uniforms(rows, values) > 0.2
        weights[np.arange(rows), self.several(0, values - 1, rows)] += 0.05
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def model(self, seeds: int, values: int) -> FloatArray:
        """Return p_d(y), shape (S, Y), over orders of magnitude, with zeros and with rows alike."""
        spread = self.one_of((0.3, 1.5, 4.0))
        weights = np.exp(spread * ndtri(self.uniforms(seeds, values)))
        weights *= self.uniforms(seeds, values) < self.one_of((1.0, 0.6))
        weights[np.arange(seeds), self.several(0, values - 1, seeds)] += 0.01
        if self.whole(1, 10) <= 3:
            weights[self.whole(0, seeds - 1)] = weights[self.whole(0, seeds - 1)]
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def test(self, kind: TestKind) -> PrivacyTest:
        """Return a randomised test with a small k."""
        gamma = self.one_of((1.05, 1.5, 2.0, 4.0)) if kind == "plausible-deniability" else None
        return privacy_test(kind, self.whole(2, 6), self.one_of((0.1, 0.3, 1.0, 2.5, 5.0)), gamma)

    def table(self, values: int, least: int) -> IntArray:
        """Return how many of at least `least` records have each value; some values nobody has."""
        records = self.several(0, 4, values)
        while records.sum() < least:
            records[self.whole(0, values - 1)] += 1
        return records

    def ruled_schema(self, columns: Sequence[Column]) -> Schema:
        """Return a schema of three small columns under one to three rules that some record meets
        and some does not."""
        while True:
            texts = sorted({self._rule(columns) for _ in range(self.whole(1, 3))})
            try:
                schema = Schema(
                    columns=tuple(columns), rules=tuple(Rule(text=each) for each in texts)
                )
            except Refusal:
                # They contradict one another, or leave a column no value.
                continue
            if schema.relations:
                return schema

    def _rule(self, columns: Sequence[Column]) -> str:
        first = self.whole(0, 2)
        one, other = columns[first], columns[(first + self.whole(1, 2)) % 3]
        left = [text for text in other.texts if self.whole(0, 1)] or other.texts[:1]
        among = ", ".join(f'"{text}"' for text in left)
        return f'if ({one.name} == "{self.one_of(one.texts)}") {other.name} %in% c({among})'


def small_columns(sizes: Sequence[int]) -> tuple[Column, ...]:
    """Return columns of categories, so many each."""
    return tuple(
        Column(name=f"c{place}", domain=Categories(values=tuple(map(str, range(size)))))
        for place, size in enumerate(sizes)
    )


class ScriptedSource(RandomSource):
    """A source whose words are given.

    A word w below a bound b picks w of b equal cases, as the rest of the range of words is far
    away. So words that run over 0 … m − 1, m a multiple of every bound, give each case as often.

    Attributes:
        left: the words that are not drawn yet.
    """

    def __init__(self, words: Sequence[int]) -> None:
        super().__init__(bytes(32), seeded=False)
        self.left = list(words)

    def words(self, count: int) -> WordArray:
        """Return the next of the words.

        Raises:
            ValueError: there are fewer.
        """
        if count > len(self.left):
            raise ValueError("more words are drawn than the script has")
        found, self.left = self.left[:count], self.left[count:]
        return np.array(found, dtype=np.uint64)

    def child(self) -> RandomSource:
        """Return a fresh source, which is no part of the script."""
        return RandomSource.secure()
