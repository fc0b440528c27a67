"""The simulated discharges, against their law and the published shares."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from understudy.core.refusal import Refusal
from understudy.samples import discharges as tables
from understudy.samples.discharges import Law, law, schema, simulate, write
from understudy.table.encoding import encode
from understudy.table.sources.reading import read_table

ROWS = 200_000


@pytest.fixture(scope="module")
def stays() -> tuple[np.ndarray, np.ndarray]:
    return simulate(ROWS, 8)


def test_the_same_seed_makes_the_same_stays_and_more_begin_with_fewer() -> None:
    fewer, more, other = (simulate(rows, seed)[0] for rows, seed in ((9, 1), (40_000, 1), (9, 2)))
    assert (more[:9] == fewer).all()
    assert (other != fewer).any()


def test_the_law_has_the_published_shares() -> None:
    """Of 10,000, women, deaths, planned stays and births: of all, and with alcohol."""
    published = {None: (5766, 191, 2205, 1007), True: (2787, 204, 979, 2)}
    for alcohol, shares in published.items():
        assert 1e4 * law(alcohol=alcohol).ones()[:4] == pytest.approx(shares, abs=25)


def test_stays_follow_the_law(stays: tuple[np.ndarray, np.ndarray]) -> None:
    flags, marks = stays
    pairs = law().pairs()
    found = flags.astype(float).T @ flags / ROWS
    errors = np.sqrt(np.maximum(pairs * (1 - pairs), 1 / ROWS) / ROWS)
    assert (np.abs(found - pairs) < 5.5 * errors).all()
    share = law(alcohol=True).ones()[0]
    assert flags[marks, 0].mean() == pytest.approx(share, abs=0.02)


def test_the_mark_is_how_the_law_is_divided() -> None:
    """All stays are those with and those without alcohol."""
    related = law().shares[len(tables.STAYS) :].sum()
    whole = related * law(alcohol=True).pairs() + (1 - related) * law(alcohol=False).pairs()
    assert whole == pytest.approx(law().pairs())
    assert simulate(ROWS, 3)[1].mean() == pytest.approx(related, abs=0.003)


def test_probabilities_of_all_records_add_up_to_one() -> None:
    """By a law of few flags, some of them certain, against sums written out."""
    small = Law(np.array([0.25, 0.75]), np.array([[1.0, 0.5, 0.0], [0.2, 0.1, 0.3]]))
    every = np.array(list(product([False, True], repeat=3)))
    slow = [
        sum(
            share * np.prod([p if bit else 1 - p for p, bit in zip(row, record, strict=True)])
            for share, row in zip(small.shares, small.chances, strict=True)
        )
        for record in every
    ]
    assert small.probability(every) == pytest.approx(slow)
    assert small.probability(every).sum() == pytest.approx(1)
    assert small.pairs()[0, 1] == pytest.approx(small.probability(every) @ every[:, :2].all(1))


def test_newborns_have_no_tumour(stays: tuple[np.ndarray, np.ndarray]) -> None:
    flags, _ = stays
    assert not flags[flags[:, 3], 5:].any()


@pytest.mark.parametrize("marked", [False, True])
def test_a_file_of_them_is_read_by_the_shipped_schema(tmp_path: Path, marked: bool) -> None:
    place = tmp_path / "stays.csv"
    write(50, place, 4, marked=marked)
    domain = schema(marked=marked)
    assert domain.declared
    assert len(domain) == 42 + marked
    flags, marks = simulate(50, 4)
    wanted = np.column_stack([flags, marks]) if marked else flags
    assert (encode(read_table(place, domain.reading), domain).codes == wanted).all()


@pytest.mark.parametrize(("rows", "seed"), [(0, 1), (5, -1)])
def test_what_cannot_be_simulated_is_refused(tmp_path: Path, rows: int, seed: int) -> None:
    with pytest.raises(Refusal):
        write(rows, tmp_path / "stays.csv", seed)
    assert list(tmp_path.iterdir()) == []
