"""The kinds of model that candidates are drawn from, by the names that plans give them: what is
known of each without computing anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from understudy.models.about import ModelAbout
from understudy.models.bayesnet.about import MARGINALS, NETWORK
from understudy.models.calibrated.about import CALIBRATED
from understudy.models.third_party.about import THIRD_PARTY

USUAL: Final = "calibrated"
"""The kind of a plan that names none."""

PUBLISHED: Final = "network"
"""The kind that synthesis from seeds was published with."""

INSTALLED: Final = "outside"
"""The kind of all models that other packages bring."""

MODELS: Final[Mapping[str, ModelAbout]] = {
    USUAL: CALIBRATED,
    PUBLISHED: NETWORK,
    "marginals": MARGINALS,
    INSTALLED: THIRD_PARTY,
}
