from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support import category_schema, random_network, random_structure
from understudy.evaluation.comparison import compare
from understudy.evaluation.measure import FEWEST, Table
from understudy.mechanisms.seedbased.evaluation.figures import Figures, draw_pools, omegas_to_show
from understudy.mechanisms.seedbased.evaluation.pool import Pools
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.split import Shares, split

SCHEMA = category_schema(4, 3, 5)
OMEGAS = (Omega(low=1, high=3), Omega(low=2, high=2))


def some(seed: int, count: int, skew: float = 1.0) -> Records:
    rng = np.random.default_rng(seed)
    codes = np.column_stack([np.floor(size * rng.random(count) ** skew) for size in (4, 3, 5)])
    return Records(SCHEMA, codes.astype(np.uint16))


def test_every_table_but_candidates_is_compared() -> None:
    tables = (
        Table("like", "reals", some(1, 400)),
        Table("unlike", "released", some(2, 400, 3.0)),
        Table("untested", "candidates", some(3, 400)),
    )
    like, unlike = compare(tables, some(4, 500))
    assert (like.name, unlike.name) == ("like", "unlike")
    assert like.records == unlike.records == 400
    assert np.median(like.distances.each_pair) < np.median(unlike.distances.each_pair)


def test_without_held_out_records_nothing_is_compared() -> None:
    assert compare([Table("one", "reals", some(1, 300))], some(2, FEWEST - 1)) == ()


@pytest.mark.parametrize(
    ("planned", "expected"),
    [
        (Omega(low=5, high=11), ["5-11", "11", "10", "9"]),
        (Omega(low=10, high=10), ["10", "11", "9"]),
    ],
)
def test_the_planned_omega_comes_first(planned: Omega, expected: list[str]) -> None:
    assert [str(each) for each in omegas_to_show(planned, 11)] == expected
    assert [str(each) for each in omegas_to_show(Omega(low=1, high=2), 2)] == ["1-2", "2", "1"]


def figures(*, kept: bool) -> Figures:
    rng = np.random.default_rng(1)
    network = random_network(SCHEMA, random_structure(3, rng), rng)
    source = RandomSource.fixed(2)
    parts = split(some(3, 2_000), Shares(), source)
    drawn = draw_pools(network, parts.seeds, 0.7, OMEGAS, source)
    return Figures(
        network.structure.parents,
        network.order,
        compare([Table("one", "reals", some(1, 100))], some(2, 300)),
        tuple(each.sample for each in drawn),
        Pools.around(drawn, parts, network, source) if kept else None,
        0.75 if kept else None,
    )


def test_figures_survive_their_files(tmp_path: Path) -> None:
    made = figures(kept=True)
    assert Figures.load(tmp_path) is None
    made.save(tmp_path)
    again = Figures.load(tmp_path)
    assert again is not None
    assert (again.parents, again.order) == (made.parents, made.order)
    assert again.effective == 0.75
    assert again.compared[0].distances.pairs.tolist() == made.compared[0].distances.pairs.tolist()
    assert [sample.omega for sample in again.samples] == list(OMEGAS)
    assert again.pools is not None
    assert made.pools is not None
    for one, other in zip(made.pools.each, again.pools.each, strict=True):
        assert (one.epsilon, one.sample.omega) == (other.epsilon, other.sample.omega)
        assert one.codes.tolist() == other.codes.tolist()
    assert "internal" in (tmp_path / "figures.json").read_text(encoding="utf-8")


def test_figures_from_before_candidates_were_kept_are_still_read(tmp_path: Path) -> None:
    made = figures(kept=False)
    made.save(tmp_path)
    again = Figures.load(tmp_path)
    assert again is not None
    assert again.pools is None
    assert again.effective is None
    test = RelativeSensitivity(k=9, epsilon0=0.5)
    rates = [[each.pass_rate(test) for each in one.samples] for one in (made, again)]
    assert rates[0] == rates[1]
