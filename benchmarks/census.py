"""The simulated census at the size of the published evaluation, already split."""

from __future__ import annotations

from engine.mechanisms.seedbased.reproduction.setting import Sizes
from engine.table.records import Records
from engine.table.split import Split
from sample_data import census

__all__ = ["Sizes", "parts"]


def parts(sizes: Sizes, seed: int = 2013) -> Split:
    """Simulated records in parts of these sizes."""
    return sizes.cut(Records(census.schema(), census.simulate(sizes.total, seed)))
