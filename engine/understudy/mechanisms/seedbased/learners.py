"""The learner of each kind of model."""

from __future__ import annotations

from collections.abc import Mapping

from understudy.mechanisms.seedbased.models import MODELS
from understudy.models.about import ModelAbout
from understudy.models.bayesnet.about import MARGINALS, NETWORK
from understudy.models.bayesnet.as_learner import Marginals, PublishedNetwork
from understudy.models.bayesnet.parameters import Estimate
from understudy.models.calibrated.about import CALIBRATED
from understudy.models.calibrated.as_learner import Calibrated
from understudy.models.learner import Learner
from understudy.models.third_party.about import THIRD_PARTY
from understudy.models.third_party.as_learner import ThirdParty
from understudy.models.third_party.claim import Claim


def learner_of(kind: str, estimate: Estimate = "mean", claim: Claim | None = None) -> Learner:
    """Return the learner of a kind of model.

    Args:
        kind: as in a plan; see `MODELS`.
        estimate: how the published network estimates probabilities.
        claim: of a model that another package brings.

    Raises:
        KeyError: there is none.
    """
    made: Mapping[ModelAbout, Learner] = {
        CALIBRATED: Calibrated(),
        NETWORK: PublishedNetwork(estimate),
        MARGINALS: Marginals(),
        THIRD_PARTY: ThirdParty(claim),
    }
    return made[MODELS[kind]]
