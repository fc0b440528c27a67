"""The simulated census at the size of the published evaluation, already split."""

from __future__ import annotations

from understudy.samples import census
from understudy.studies.seedbased.setting import SeedbasedStudySizes
from understudy.table.records import Records
from understudy.table.split import Split

__all__ = ["SeedbasedStudySizes", "parts"]


def parts(sizes: SeedbasedStudySizes, seed: int = 2013) -> Split:
    """Simulated records in parts of these sizes."""
    return sizes.cut(Records(census.schema(), census.simulate(sizes.total, seed)))
