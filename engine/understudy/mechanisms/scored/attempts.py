"""Attempts with any model that can propose and can score (Mechanism 3.1).

For the kept-attributes model an index answers how many records are plausible seeds. A model that
can only say how likely one record makes one candidate has to be asked about the records. Here it is
asked about as few as will do:

* *Equal records are asked about once.* They make a candidate equally likely, so a test scores one
  of them, with how many there are as the size of its class. That is exact.
* *The coins come first.* The pass cap turns candidates away unscored. For the others the test's
  coin is thrown beforehand, as the least score with which a candidate passes (`PassCoin.least`: the
  same law). All that is left to find out is whether the score reaches it.
* *Records come in blocks, the most frequent first*, and a candidate is done with as soon as what is
  left cannot change its outcome (`engine/understudy/privacy/plausibility/partial.py`).

* *Records too far off are left out.* Of a model that says where records lie and how far it moves
  them, only those that can count for a candidate are looked at (`nearby`).

So the outcome of every candidate is what `understudy/models/scores.py` and `PassCoin.decide` come
to by looking at every record, with the same random words.

*What is promised.* One attempt is that of docs/guarantee.md, "One attempt": ε = ε0 + ln(1 + g/t)
and δ = C·e^{−ε0(k−t)}/(n+1). As likelihoods differ, g = γ·(1 + 2^−30) for plausible deniability and
1 + 2^−30 for relative sensitivity; the γ is not spared. The theorem asks of the model only that
p_d(y) is a function of the record and the candidate, and that `log_likelihood` tells it
(`SeedbasedProposer`). So N attempts, N fixed beforehand, are the N-fold composition of that, with
rejections seen, under the pass cap of "Attempts"; and a fixed number of releases is as under
"Releases", with its pass floor. Nothing here checks the cap, keeps the account or debits a ledger:
whoever calls this does. What the model gives away of the records it was learned from is a matter of
its learning. How long an attempt takes depends on the records, and the promise does not cover it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import CodeArray
from understudy.mechanisms.scored.nearby import Nearby
from understudy.mechanisms.scored.scanning import BATCH, Proposals, SeedRecords, reaches
from understudy.models.cells import Located
from understudy.models.scores import SeedbasedProposer
from understudy.privacy.plausibility.privacy_test import PrivacyTest
from understudy.privacy.plausibility.threshold import capped_away
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records


@dataclass(frozen=True)
class Decision:
    """The privacy test, and the coin that turns candidates away after it.

    Attributes:
        test: either test.
        pass_cap: ρ, the chance that a candidate is turned away after the test, whatever it
            scored (run-guarantee §3); 0 turns none away.
    """

    test: PrivacyTest
    pass_cap: float


class GeneralSynthesizer:
    """The seeds, and a model that proposes from them and scores them."""

    def __init__(self, model: SeedbasedProposer, seeds: Records) -> None:
        self.model = model
        self.seeds = SeedRecords.of(seeds)

    @cached_property
    def _near(self) -> Nearby | None:
        return Nearby.of(self.model, self.seeds) if isinstance(self.model, Located) else None

    def prepare(self) -> None:
        """Sort the seeds now, where that helps, and not when first needed: threads that need it at
        once would each do so."""
        _ = self._near

    def propose(self, count: int, source: RandomSource) -> Proposals:
        """So many attempts, up to the test; each draws its seed uniformly, with replacement.

        Raises:
            ValueError: there are no seeds.
        """
        own = self.seeds.draw(count, source)
        return Proposals(self.model.propose(self.seeds.rows[own], source), own)

    def passes(
        self, decision: Decision, proposals: Proposals, source: RandomSource
    ) -> npt.NDArray[np.bool_]:
        """(B,) what is released."""
        away = capped_away(decision.pass_cap, len(proposals), source)
        least = decision.test.coin.least(len(proposals), source)
        scored = np.flatnonzero(~away)
        reached = np.zeros(len(proposals), dtype=bool)
        reached[scored] = self.reaches(decision.test, proposals.take(scored), least[scored])
        return reached

    def reaches(
        self, test: PrivacyTest, proposals: Proposals, least: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_]:
        """(B,) as `reaches`, by the records near each candidate where the model tells them."""
        if self._near is None:
            return reaches(test, self.model, self.seeds, proposals, least)
        return self._near.reaches(test, proposals, least)


def release(
    synthesizer: GeneralSynthesizer, decision: Decision, count: int, source: RandomSource
) -> CodeArray:
    """Make so many attempts and return what passes.

    Returns:
        (passed, w) candidates in the order of the attempts; none of any width without attempts.

    Raises:
        ValueError: there are no seeds.
    """
    passed = []
    for start in range(0, count, BATCH):
        proposals = synthesizer.propose(min(BATCH, count - start), source)
        passed.append(proposals.codes[synthesizer.passes(decision, proposals, source)])
    return np.concatenate(passed) if passed else synthesizer.seeds.rows[:0]
