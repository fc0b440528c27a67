"""How often candidates pass, from one sample of candidates and for either test, any k, γ and ε0.

Scores are kept and the noisy threshold is averaged over, not drawn (Rao–Blackwell), so a
what-if costs an average of a table and nothing is generated again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy.mechanisms.seedbased.attempts import Candidates, Synthesizer
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import LikelihoodClasses, Plausible, PrivacyTest
from understudy.privacy.plausibility.threshold import PassCoin
from understudy.privacy.randomness import RandomSource

Arrays = Mapping[str, npt.NDArray[np.generic]]


@dataclass(frozen=True)
class ScoreSample:
    """What a test looks at, for a sample of candidates of one ω. Internal.

    Attributes:
        omega: the ω the candidates were proposed with.
        plausible: as in `Candidates`.
        untested: (B,) candidates that kept nothing and pass without a test.
    """

    omega: Omega
    plausible: Plausible
    untested: npt.NDArray[np.bool_]

    @classmethod
    def draw(cls, synthesizer: Synthesizer, count: int, source: RandomSource) -> ScoreSample:
        """Propose `count` candidates and keep their scores only."""
        return cls.of(synthesizer.propose(0, count, source), synthesizer.model)

    @classmethod
    def of(cls, candidates: Candidates, model: KeptAttributes) -> ScoreSample:
        """Return the scores of candidates of this model."""
        untested = (candidates.omegas == model.attributes) & model.omega.per_attempt
        return cls(model.omega, candidates.plausible, untested)

    def is_of(self, omega: Omega) -> bool:
        """Return whether it is of this ω; of one number there is one reading."""
        ours = self.omega
        same = (ours.low, ours.high) == (omega.low, omega.high)
        return same and ours.per_attempt == omega.per_attempt

    def __len__(self) -> int:
        return len(self.untested)

    def scores(self, test: PrivacyTest) -> npt.NDArray[np.int64]:
        """(B,) the score of each candidate under this test."""
        return test.scores(self.plausible)

    def chances(
        self,
        test: PrivacyTest,
        pass_cap: float = 0.0,
        scores: npt.NDArray[np.int64] | None = None,
    ) -> npt.NDArray[np.float64]:
        """(B,) the probability with which each candidate is released; their mean is the pass
        rate.

        Args:
            test: either test.
            pass_cap: ρ.
            scores: those of the test, where they are known; k and ε0 do not change them.
        """
        known = self.scores(test) if scores is None else scores
        return np.where(self.untested, 1.0, (1 - pass_cap) * test.coin.probability(known))

    def pass_rate(self, test: PrivacyTest, pass_cap: float = 0.0) -> float:
        """Return the expected share of attempts that are released, in [0, 1]."""
        return float(self.curve(test, np.array([test.k]), pass_cap)[0])

    def curve(
        self, test: PrivacyTest, ks: npt.NDArray[np.int64], pass_cap: float = 0.0
    ) -> npt.NDArray[np.float64]:
        """(len(ks),) the expected pass rate at each k, the rest of the test as given."""
        tested = self.scores(test)[~self.untested]
        free = float(self.untested.mean())
        if not len(tested):
            return np.ones(len(ks))
        values, counts = np.unique(tested, return_counts=True)
        coins = [PassCoin(int(k), test.epsilon0, test.noise) for k in ks]
        rates = np.array([coin.probability(values) @ counts for coin in coins]) / len(tested)
        return free + (1 - free) * (1 - pass_cap) * rates

    def arrays(self) -> Arrays:
        """Return the sample as named arrays, for a file; `from_arrays` is the way back."""
        shared: dict[str, npt.NDArray[np.generic]] = {
            "omega": np.array([self.omega.low, self.omega.high, self.omega.reading == "hidden"]),
            "untested": self.untested,
        }
        if isinstance(self.plausible, LikelihoodClasses):
            return shared | {
                "sizes": self.plausible.sizes,
                "log_likelihood": self.plausible.log_likelihood,
                "seed_class": self.plausible.seed_class,
            }
        return shared | {"count": self.plausible}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> ScoreSample:
        """Return a sample that `arrays` wrote."""
        low, high, hidden = (int(value) for value in arrays["omega"])
        omega = Omega(low=low, high=high, reading="hidden" if hidden else "announced")
        plausible: Plausible
        if "count" in arrays:
            plausible = arrays["count"].astype(np.int64)
        else:
            plausible = LikelihoodClasses(
                sizes=arrays["sizes"].astype(np.int64),
                log_likelihood=arrays["log_likelihood"].astype(np.float64),
                seed_class=arrays["seed_class"].astype(np.int64),
            )
        return cls(omega, plausible, arrays["untested"].astype(bool))
