"""Latent models of tables of flags: what training takes, and how close their rows come.

Networks are trained at ε = 1 and δ = 10⁻⁹ on made-up records of 42 flags, which follow from three
hidden numbers.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from benchmarks.size import Size
from understudy.models.latent.networks.variational import learn_network, plan_network
from understudy.privacy.budget import Budget
from understudy.privacy.gaussian import discrete_gaussians
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource

_BUDGET: Final = Budget(1.0, 1e-9)
_COLUMNS: Final = 42
_HIDDEN: Final = 3
_DRAWN: Final = 50_000
_RECORDS: Final[dict[Size, Sequence[int]]] = {
    "full": (20_000, 57_214, 200_000, 1_000_000),
    "quick": (20_000, 100_000),
    "tiny": (15_000,),
}
_DRAWS: Final[dict[Size, int]] = {"full": 10_000_000, "quick": 1_000_000, "tiny": 100_000}

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Trained:
    """A network trained on one table.

    Attributes:
        records: how many.
        hidden, width: its size.
        multiplier: σ of the noise, in lengths that a record's slope may have.
        seconds: to train it and measure its codes, on one core.
        pair: total variation of an average pair of columns, of rows drawn to the records.
        marginals: the same of independent columns with the records' own shares.
        other: the same of other records of the same law.
    """

    records: int
    hidden: int
    width: int
    multiplier: float
    seconds: float
    pair: float
    marginals: float
    other: float


def measure(*, size: Size = "full") -> dict[str, Any]:
    """The figures."""
    source = RandomSource.secure()
    begun = time.perf_counter()
    discrete_gaussians(_DRAWS[size], 40, source)
    draws = _DRAWS[size] / (time.perf_counter() - begun)
    return {
        "draws": draws,
        "networks": [asdict(_network(records)) for records in _RECORDS[size]],
    }


def _network(records: int) -> Trained:
    table, rest = np.split(_made(records + _DRAWN), [records])
    plan = plan_network(_COLUMNS, records, _BUDGET)
    source = RandomSource.fixed(1)
    begun = time.perf_counter()
    model = learn_network(table, plan, Noise(source), source)
    seconds = time.perf_counter() - begun
    alone = np.random.default_rng(2).random((_DRAWN, _COLUMNS)) < table.mean(axis=0)
    shape = plan.training.shape
    pairs = (_apart(table, each) for each in (model.draw(_DRAWN, source), alone, rest))
    return Trained(records, shape.hidden, shape.width, plan.multiplier, seconds, *pairs)


def _made(records: int) -> Flags:
    random = np.random.default_rng(1)
    loads = random.normal(0, 0.8, (_HIDDEN, _COLUMNS))
    rare = random.uniform(0.5, 2.5, _COLUMNS) * np.sqrt(1 + (loads**2).sum(axis=0))
    hidden = random.standard_normal((records, _HIDDEN))
    return np.asarray(hidden @ loads + random.standard_normal((records, _COLUMNS)) > rare)


def _apart(one: Flags, other: Flags) -> float:
    """Total variation of the four cells of two columns, averaged over all pairs of columns."""
    (both, first), (others, others_first) = _cells(one), _cells(other)
    eleven, ten = both - others, (first[:, None] - both) - (others_first[:, None] - others)
    cells = np.stack([eleven, ten, ten.T, -(eleven + ten + ten.T)])
    return float(np.abs(cells).sum(axis=0)[np.triu_indices(_COLUMNS, 1)].mean() / 2)


def _cells(table: Flags) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """How often two flags are both set, and one."""
    numbers = table.astype(np.float32)
    both = (numbers.T @ numbers).astype(np.float64) / len(table)
    return both, np.diagonal(both)


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = [
        "| records | hidden | codes | multiplier | seconds | pair | marginals | other records |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['records']:,} | {row['hidden']} | {row['width']} | {row['multiplier']:.2f} "
        f"| {row['seconds']:.1f} | {row['pair']:.4f} | {row['marginals']:.4f} "
        f"| {row['other']:.4f} |"
        for row in figures["networks"]
    ]
    said = f"Discrete Gaussian noise: {figures['draws'] / 1e6:.1f} million draws a second."
    return "\n".join([said, "", *lines])
