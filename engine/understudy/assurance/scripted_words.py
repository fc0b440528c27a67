"""Random words by a script, so that the exact law of what a run draws can be written out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from understudy.core.arrays import WordArray
from understudy.privacy.randomness import RandomSource, Secret, Use


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


class ScriptedSecret(Secret):
    """A secret of which one use draws scripted words.

    Attributes:
        use: which.
        script: its source.
    """

    use: Use
    script: ScriptedSource

    @classmethod
    def of(cls, use: Use, words: Sequence[int]) -> ScriptedSecret:
        """Return a fresh secret with a script for one use."""
        made = cls(Secret.fresh().key)
        object.__setattr__(made, "use", use)
        object.__setattr__(made, "script", ScriptedSource(words))
        return made

    def source(self, use: Use, number: int = 0, position: int = 0) -> RandomSource:
        """Return the source of a use; of the one use, the script."""
        return self.script if use == self.use else super().source(use, number, position)
