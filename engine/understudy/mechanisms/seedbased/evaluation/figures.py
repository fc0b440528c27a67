"""The internal figures of one run, kept beside it for the custodian."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from understudy.core.arrays import AnyArray
from understudy.core.files import make_private, write_internal_arrays, write_internal_json
from understudy.evaluation.comparison import Compared, Distances
from understudy.mechanisms.seedbased.attempts import Synthesizer
from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
from understudy.mechanisms.seedbased.evaluation.pool import Pool, Pools, name_arrays, under
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.omega import Omega
from understudy.models.sequential import Sequential
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

_BESIDE = "beside"


@dataclass(frozen=True)
class RunFigures:
    """What the custodian may look at after a run, and nobody else. Internal.

    Attributes:
        parents: for each column its parents, by index.
        order: the dependency order.
        compared: distances of several tables to the held-out records.
        samples: scores of candidates, for each ω.
        pools: the same candidates themselves, with what they are held against; None for a run
            that was made before they were kept.
        effective: the effective share of the records that the model proposes, weighted by its
            tilts; None where it has none.
    """

    parents: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]
    compared: tuple[Compared, ...]
    samples: tuple[ScoreSample, ...]
    pools: Pools | None = None
    effective: float | None = None

    def save(self, folder: Path) -> None:
        """Write figures.json and figures.npz into the folder."""
        make_private(folder)
        kept: Sequence[ScoreSample | Pool] = self.samples if self.pools is None else self.pools.each
        arrays: dict[str, AnyArray] = {}
        for place, each in enumerate(kept):
            arrays |= name_arrays(each.arrays(), f"sample{place}")
        if self.pools is not None:
            arrays |= name_arrays(self.pools.arrays(), _BESIDE)
        for place, compared in enumerate(self.compared):
            arrays[f"pairs{place}"] = compared.distances.pairs
        write_internal_arrays(folder / "figures.npz", arrays)
        about = {
            "parents": self.parents,
            "order": self.order,
            "compared": [[each.name, each.records] for each in self.compared],
            "samples": len(kept),
            "effective": self.effective,
        }
        # Its presence says that the figures are complete, so it appears last.
        write_internal_json(folder / "figures.json", about)

    @classmethod
    def load(cls, folder: Path) -> RunFigures | None:
        """Read what `save` wrote; None where there is nothing yet."""
        if not (folder / "figures.json").exists():
            return None
        about = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
        with np.load(folder / "figures.npz", allow_pickle=False) as arrays:
            compared = tuple(
                Compared(name, records, Distances(np.diag(pairs).copy(), pairs))
                for place, (name, records) in enumerate(about["compared"])
                for pairs in [arrays[f"pairs{place}"]]
            )
            kept = [under(arrays, f"sample{place}") for place in range(about["samples"])]
            beside = under(arrays, _BESIDE)
        samples = tuple(ScoreSample.from_arrays(each) for each in kept)
        pools = (
            Pools.from_arrays(beside, [Pool.from_arrays(each) for each in kept]) if beside else None
        )
        parents = tuple(tuple(each) for each in about["parents"])
        effective = about.get("effective")
        return cls(parents, tuple(about["order"]), compared, samples, pools, effective)


def omegas_to_show(planned: Omega, attributes: int) -> tuple[Omega, ...]:
    """Return the planned ω, then m, m − 1 and m − 2 on their own (Figures 3–4 of the
    evaluation)."""
    fixed = [Omega(low=each, high=each) for each in range(attributes, max(0, attributes - 3), -1)]
    return (planned, *(each for each in fixed if str(each) != str(planned)))


def draw_pools(
    network: Sequential,
    seeds: Records,
    epsilon: float | None,
    omegas: Sequence[Omega],
    source: RandomSource,
) -> tuple[Pool, ...]:
    """Return a sample of candidates for each ω, of a model that was learned with this ε.

    Without a single seed there is none for an ω that keeps something of one.
    """
    attributes = len(seeds.schema)
    return tuple(
        Pool.draw(Synthesizer(KeptAttributes(network, omega), seeds), epsilon, source)
        for omega in omegas
        if len(seeds) or omega.low == attributes
    )
