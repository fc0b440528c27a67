from __future__ import annotations

from understudy.assurance.finding import Effort
from understudy.assurance.seedbased.universes import (
    KINDS,
    TOYS,
    universes,
)


def test_the_toy_models_are_all_tried() -> None:
    for kind in KINDS:
        counted = [sum(each.model == f"the {name} model" for each in universes(kind, Effort(0.2)))
                   for name in TOYS]  # fmt: skip
        assert min(counted) >= 8
