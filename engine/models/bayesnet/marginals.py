"""The baseline of independent attributes, learned under the same budget."""

from __future__ import annotations

from engine.models.bayesnet.network import BayesianNetwork, Structure
from engine.models.bayesnet.parameters import ParameterLearner
from engine.models.counted import Counted
from engine.privacy.noise import Noise
from engine.table.records import Records


def learn_marginals(
    records: Records | Counted, learner: ParameterLearner, noise: Noise
) -> BayesianNetwork:
    """A network without edges, its tables learned from noisy counts like any other."""
    structure = Structure.independent(len(records.schema.columns))
    return learner.learn(records, structure, noise)
