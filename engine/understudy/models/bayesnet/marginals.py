"""The baseline of independent attributes, learned under the same budget."""

from __future__ import annotations

from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.bayesnet.parameters import ParameterLearner
from understudy.models.counted import Counted
from understudy.privacy.noise import Noise
from understudy.table.records import Records


def learn_marginals(
    records: Records | Counted, learner: ParameterLearner, noise: Noise
) -> BayesianNetwork:
    """Return a network without edges, its tables learned from noisy counts like any other."""
    structure = Structure.independent(len(records.schema.columns))
    return learner.learn(records, structure, noise)
