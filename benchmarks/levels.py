"""What keeping the levels of a hierarchy gains over one level of groups, at the same ε.

python -m benchmarks levels

A made-up table: a code of 500 values in 100 groups, 20 above them and 5 above those, and six
columns whose values depend on the code at every level of it. The calibrated model learns it with
one level as its buckets, or with finer buckets and the levels above them. Each figure is a mean
over the six pairs of the code, and over seeds, of the excess at δ = 10⁻⁹: how much further off
held-out records than the real ones that it learned from are as many that the model draws, in total
variation, the code seen through one of the levels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from benchmarks.peers.drivers.exchange import Stopwatch
from benchmarks.peers.ours import drawn
from benchmarks.size import Size
from understudy.models.calibrated.expected_error import expected_errors
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.views import Marginal, Rows, View, shape
from understudy.privacy.accounting.budget_shares import HALF_NORMAL
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.buckets import ByGroups, EachValue, Group
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.levels import levels_above
from understudy.table.records import Records
from understudy.table.schema import Schema

_DELTA: Final = 1e-9
_CODES: Final = 500
_GROUPS: Final = (100, 20, 5)
_OTHERS: Final = (2, 3, 5, 8, 12, 20)
_EFFECT: Final = 0.5
"""The standard deviation of what the code, and each group that it is in, adds to a logit."""
_HELD_OUT: Final = 5
_RECORDS: Final[Mapping[Size, Sequence[int]]] = {
    "full": (100_000, 20_000), "quick": (20_000,), "tiny": (1_500,),
}  # fmt: skip
_EPSILONS: Final[Mapping[Size, Sequence[float]]] = {
    "full": (1.0, 0.1), "quick": (1.0,), "tiny": (1.0,),
}  # fmt: skip
_SEEDS: Final[Mapping[Size, int]] = {"full": 3, "quick": 1, "tiny": 1}

Chain = tuple[int, ...]
"""How many groups the buckets make, and each level above them; none where each code is its own."""

CHAINS: Final[tuple[Chain, ...]] = ((), (100,), (20,), (5,), (20, 5), (100, 20, 5))


@dataclass(frozen=True)
class Kept:
    """What one way of keeping groups came to.

    Attributes:
        records, epsilon: of what, at what.
        groups: how many the buckets make, and each level above them.
        excess: of the six pairs of the code, through 100, 20 and 5 groups.
        others: of all pairs without the code.
        counted: to how many of the six the code was foreseen to be related.
        tables: how many tables with the code were counted, by how many values it was seen as.
    """

    records: int
    epsilon: float
    groups: Chain
    excess: tuple[float, ...]
    others: float
    counted: int
    tables: Mapping[str, int]


def schema(chain: Chain) -> Schema:
    """The columns, with the code in these groups."""
    values = tuple(f"{place:03}" for place in range(_CODES))
    code = Column(name="code", domain=Categories(values=values))
    others = (
        Column(name=f"of {size}", domain=Categories(values=tuple(map(str, range(size)))))
        for size in _OTHERS
    )
    return Schema(columns=(_grouped(code, values, chain), *others))


def _grouped(code: Column, values: Sequence[str], chain: Chain) -> Column:
    if not chain:
        return code.with_buckets(EachValue())
    where = [
        {value: f"{many}: {place * many // _CODES}" for place, value in enumerate(values)}
        for many in chain
    ]
    members: dict[str, list[str]] = {}
    for value, label in where[0].items():
        members.setdefault(label, []).append(value)
    groups = tuple(Group(label=label, values=tuple(each)) for label, each in members.items())
    buckets = ByGroups(groups=groups)
    domain = code.domain
    assert isinstance(domain, Categories)
    return code.changed(buckets=buckets, levels=levels_above(domain, buckets, where[1:]))


def simulated(records: int, seed: int) -> npt.NDArray[np.uint16]:
    """(records, 7) codes of made-up records."""
    random = np.random.default_rng(seed)
    often = 1 / (1 + random.permutation(_CODES)) ** 0.8
    columns = [random.choice(_CODES, records, p=often / often.sum())]
    for size in _OTHERS:
        logits = random.normal(0, 0.7, size) + np.zeros((_CODES, size))
        for many in (_CODES, *_GROUPS):
            effects = random.normal(0, _EFFECT, (many, size))
            logits = logits + effects[np.arange(_CODES) * many // _CODES]
        law = np.exp(logits)
        reached = (law / law.sum(axis=1, keepdims=True)).cumsum(axis=1)[columns[0]]
        drawn_so = (random.random(records)[:, None] > reached).sum(axis=1)
        columns.append(np.minimum(drawn_so, size - 1))
    return np.stack(columns, axis=1).astype(np.uint16)


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Learn the table in every way of keeping groups."""
    chains = CHAINS[-2:] if size == "tiny" else CHAINS
    found = [
        asdict(_kept(records, epsilon, chain, _SEEDS[size]))
        for records in _RECORDS[size]
        for epsilon in _EPSILONS[size]
        for chain in chains
    ]
    return {"seeds": _SEEDS[size], "shown": shown(_RECORDS[size][0]), "kept": found}


def shown(records: int) -> list[float]:
    """What the pairs of the code show through each level, as a share of what they show through the
    one below: how far they are from independent, less what chance sets apart."""
    whole, codes = schema(_GROUPS), simulated(records, 5)
    rows = Rows(whole, list(codes.T))
    apart = [[_dependence(rows, pair) for pair in pairs] for pairs in _asked()[:-1]]
    return [float(np.median(np.divide(high, low))) for low, high in pairwise(apart)]


def _dependence(rows: Rows, pair: Marginal) -> float:
    counts = rows.counts(pair).reshape(shape(rows.schema, pair)) / len(rows)
    alone = np.outer(counts.sum(axis=1), counts.sum(axis=0))
    off = float(np.abs(counts - alone).sum()) / 2
    chance = HALF_NORMAL * float(np.sqrt(alone / len(rows)).sum()) / 2
    return math.sqrt(max(0.0, off**2 - chance**2))


def _kept(records: int, epsilon: float, chain: Chain, seeds: int) -> Kept:
    columns, whole = schema(chain), schema(_GROUPS)
    codes = simulated(records + records // _HELD_OUT, 5)
    real, held = codes[:records], codes[records:]
    learner = CalibratedLearner.within(columns, Budget(epsilon, _DELTA))
    off, tables = [], dict.fromkeys(map(str, (_CODES, *chain)), 0)
    for seed in range(seeds):
        source = RandomSource.fixed(seed)
        learned = learner.learn(Records(columns, real), Noise(source), source.child())
        made = drawn(learned.network, records, source, Stopwatch()).codes
        off.append([_excess(whole, made, real, held, pairs) for pairs in _asked()])
        for each in learned.measured:
            if len(each.marginal) > 1 and each.marginal[0].attribute == 0:
                tables[str(each.marginal[0].size(columns))] += 1
    means = np.mean(off, axis=0).tolist()
    pairs = expected_errors(learner, records, records).pairs
    counted = int(np.isfinite(pairs[0, 1:]).sum())
    return Kept(records, epsilon, chain, tuple(means[:-1]), means[-1], counted, tables)


def _asked() -> list[list[Marginal]]:
    """The pairs of the code through each of the levels, and those without it."""
    others = range(1, 1 + len(_OTHERS))
    of_code: list[list[Marginal]] = [
        [(View(0, level), View(each)) for each in others] for level in range(1, 1 + len(_GROUPS))
    ]
    return [*of_code, [(View(one), View(two)) for one in others for two in others if one < two]]


def _excess(
    columns: Schema,
    made: npt.NDArray[np.uint16],
    real: npt.NDArray[np.uint16],
    held: npt.NDArray[np.uint16],
    pairs: Sequence[Marginal],
) -> float:
    """How much further off held-out records than real ones are made ones, on average."""
    sides = [Rows(columns, list(each.T)) for each in (made, real, held)]
    found = []
    for pair in pairs:
        one, two, beside = (rows.counts(pair) / len(rows) for rows in sides)
        found.append((np.abs(one - beside).sum() - np.abs(two - beside).sum()) / 2)
    return float(np.mean(found))


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = [
        "| records | ε | groups kept | 100 groups | 20 groups | 5 groups | other pairs "
        "| related to | tables counted at |",
        "|---:|---:|---|---:|---:|---:|---:|---:|---|",
    ]
    for row in figures["kept"]:
        excess = " | ".join(f"{each:.4f}" for each in (*row["excess"], row["others"]))
        counted = ", ".join(f"{size}: {many}" for size, many in row["tables"].items() if many)
        groups = ", then ".join(map(str, row["groups"])) or "none"
        lines.append(
            f"| {row['records']:,} | {row['epsilon']:g} | {groups} | {excess} "
            f"| {row['counted']} | {counted} |"
        )
    twenty, five = figures["shown"]
    lines += ["", f"20 groups show {twenty:.2f} of what 100 do, 5 groups {five:.2f} of what 20 do."]
    return "\n".join(lines)
