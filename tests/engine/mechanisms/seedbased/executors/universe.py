"""A small run to be made in different places."""

from __future__ import annotations

import numpy as np

from tests.support import category_schema, random_network, random_structure
from understudy.mechanisms.seedbased.attempts import Chunks, Decision, Synthesizer
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.privacy.randomness import Secret
from understudy.table.records import Records

SECRET = Secret.fixed(5)
SIZES = (3, 4, 2)


def chunks(attempts: int) -> Chunks:
    """A run over sixty records of three columns, ω hidden."""
    rng = np.random.default_rng(3)
    schema = category_schema(*SIZES)
    network = random_network(schema, random_structure(3, rng), rng)
    codes = np.column_stack([rng.integers(0, size, 60) for size in SIZES]).astype(np.uint16)
    made = Synthesizer(KeptAttributes(network, Omega(low=1, high=3)), Records(schema, codes))
    test = PlausibleDeniability(k=12, gamma=4.0, epsilon0=1.0)
    return Chunks(made, Decision(test, 0.01), SECRET, attempts)
