"""The simulated city, against statistics of real traces. The simulated discharges, against their
law and the published shares. Simulated tables of many shapes.
"""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from understudy.core.refusal import Refusal
from understudy.models.views import Rows, View
from understudy.samples import city, pictures
from understudy.samples import discharges as tables
from understudy.samples.discharges import DischargeLaw, discharge_law, schema, simulate
from understudy.samples.discharges import write as write_discharges
from understudy.samples.pieces import Conditional, factors, parse_chances
from understudy.samples.shapes import NUMBERS, SHAPES, THREE_WAY, TableShape, picture_shape
from understudy.table.encoding import encode
from understudy.table.positions.area import Area
from understudy.table.positions.positions import Positions
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.positions.position_table import write_table
from understudy.table.sources.positions.reading import read_positions
from understudy.table.sources.reading import read_table


def test_the_same_seed_makes_the_same_people_and_more_begin_with_fewer() -> None:
    assert (city.simulate(3, 7) == city.simulate(5, 7)[:3]).all()
    assert (city.simulate(3, 7) != city.simulate(3, 8)).any()


def test_everybody_is_on_land_somewhere_at_every_moment() -> None:
    people = city.simulate(40, 1)
    assert people.shape == (40, 14, 72)
    assert people.max() < city.CELLS
    assert not city.build_city().river[people[:, :, 0]].any()


def test_fewer_than_one_person_cannot_be_simulated() -> None:
    for asked in ((0, 1, 1), (1, -1, 1), (1, 1, 0)):
        with pytest.raises(Refusal):
            city.simulate(*asked)


def test_rows_and_positions_tell_the_same(tmp_path: Path) -> None:
    """The file of rows is what reading the positions makes, except for positions on an edge."""
    city.write(12, tmp_path / "rows.csv", 3)
    city.write_positions(12, tmp_path / "positions.csv", 3)
    edge = city.EDGE
    how = Positions(area=Area(south=0, north=edge, west=0, east=edge))
    write_table(
        read_positions(read_table(tmp_path / "positions.csv"), how).raw, tmp_path / "read.csv"
    )
    ours, theirs = (
        set((tmp_path / name).read_text().splitlines()[1:]) for name in ("rows.csv", "read.csv")
    )
    assert len(ours & theirs) > 0.999 * len(ours)


def test_the_shipped_schema_is_of_these_rows(tmp_path: Path) -> None:
    city.write(5, tmp_path / "city.csv", 3)
    schema = Schema.load(city.SCHEMA)
    assert schema.declared
    records = encode(read_table(tmp_path / "city.csv", schema.reading), schema)
    assert records.whose is not None
    assert np.unique(records.whose).tolist() == [0, 1, 2, 3, 4]


def test_draws_follow_the_row_that_the_parents_name():
    weights = np.array([[[1.0, 3.0], [1.0, 0.0]], [[0.0, 2.0], [5.0, 5.0]]])
    first, second = np.repeat([0, 0, 1, 1], 20_000), np.repeat([0, 1, 0, 1], 20_000)
    children = Conditional(weights).draw(np.random.default_rng(1), first, second)
    assert children.reshape(4, -1).mean(axis=1) == pytest.approx([0.75, 0, 1, 0.5], abs=0.02)


def test_a_uniform_next_to_one_stays_in_its_row():
    class NextToOne:
        def random(self, count):
            return np.full(count, np.nextafter(1.0, 0.0))

    child = Conditional(np.tile([1.0, 1.0, 0.0], (4000, 1)))
    assert (child.draw(NextToOne(), np.arange(4000)) == 1).all()


def test_a_value_of_weight_zero_is_never_drawn():
    child = Conditional(np.tile([0.0, 1.0, 0.0, 1.0, 0.0], (7, 1)))
    drawn = child.draw(np.random.default_rng(2), np.arange(70_000) % 7)
    assert set(drawn) == {1, 3}


def test_a_table_reads_numbers_and_leaves_the_names():
    numbers = parse_chances("""
           a   b
        x  1   2.5
        y  0  .5
    """)
    assert numbers.tolist() == [[1, 2.5], [0, 0.5]]


def test_a_table_with_a_column_unnamed_is_an_error():
    with pytest.raises(ValueError, match="3 numbers under 2"):
        parse_chances("a b\n x 1 2 3")


def test_factors_default_to_one_and_know_their_names():
    assert factors(("a", "b", "c"), "b 2.0  c .5").tolist() == [1.0, 2.0, 0.5]
    assert factors(("a", "b"), "b 2.0", default=0.0).tolist() == [0.0, 2.0]
    with pytest.raises(ValueError, match="no such names: c"):
        factors(("a", "b"), "c 2.0")


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
        assert 1e4 * discharge_law(alcohol=alcohol).ones()[:4] == pytest.approx(shares, abs=25)


def test_stays_follow_the_law(stays: tuple[np.ndarray, np.ndarray]) -> None:
    flags, marks = stays
    pairs = discharge_law().pairs()
    found = flags.astype(float).T @ flags / ROWS
    errors = np.sqrt(np.maximum(pairs * (1 - pairs), 1 / ROWS) / ROWS)
    assert (np.abs(found - pairs) < 5.5 * errors).all()
    share = discharge_law(alcohol=True).ones()[0]
    assert flags[marks, 0].mean() == pytest.approx(share, abs=0.02)


def test_the_mark_is_how_the_law_is_divided() -> None:
    """All stays are those with and those without alcohol."""
    related = discharge_law().shares[len(tables.STAYS) :].sum()
    whole = (
        related * discharge_law(alcohol=True).pairs()
        + (1 - related) * discharge_law(alcohol=False).pairs()
    )
    assert whole == pytest.approx(discharge_law().pairs())
    assert simulate(ROWS, 3)[1].mean() == pytest.approx(related, abs=0.003)


def test_probabilities_of_all_records_add_up_to_one() -> None:
    """By a law of few flags, some of them certain, against sums written out."""
    small = DischargeLaw(np.array([0.25, 0.75]), np.array([[1.0, 0.5, 0.0], [0.2, 0.1, 0.3]]))
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
    write_discharges(50, place, 4, marked=marked)
    domain = schema(marked=marked)
    assert domain.declared
    assert len(domain) == 42 + marked
    flags, marks = simulate(50, 4)
    wanted = np.column_stack([flags, marks]) if marked else flags
    assert (encode(read_table(place, domain.reading), domain).codes == wanted).all()


@pytest.mark.parametrize(("rows", "seed"), [(0, 1), (5, -1)])
def test_what_cannot_be_simulated_is_refused(tmp_path: Path, rows: int, seed: int) -> None:
    with pytest.raises(Refusal):
        write_discharges(rows, tmp_path / "stays.csv", seed)
    assert list(tmp_path.iterdir()) == []


def test_a_longer_set_begins_with_the_shorter_one_of_the_same_seed() -> None:
    fewer, more = pictures.simulate(20, 7), pictures.simulate(50, 7)
    assert (more[0][:20] == fewer[0]).all()
    assert (more[1][:20] == fewer[1]).all()
    assert (pictures.simulate(20, 8)[0] != fewer[0]).any()


def test_every_picture_shows_something_and_shapes_differ() -> None:
    grey, shows = pictures.simulate(500)
    assert grey.max() <= pictures.LEVELS
    assert (grey.reshape(500, -1).max(axis=1) >= 9).all()
    means = [grey[shows == each].mean(axis=0) for each in pictures.SHAPES]
    apart = [abs(one - other).max() for one in means for other in means if one is not other]
    assert min(apart) > 2


def test_no_pictures_are_refused() -> None:
    with pytest.raises(Refusal):
        pictures.simulate(0)


def dependence(records: Records) -> list[float]:
    """How far every pair of columns is from independent, in total variation."""
    rows, found = Rows.of(records), []
    for one, other in combinations(range(len(records.schema)), 2):
        size = records.schema.columns[one].cardinality
        counts = rows.counts((View(one), View(other))).reshape(size, -1) / len(records)
        apart = counts - np.outer(counts.sum(axis=1), counts.sum(axis=0))
        found.append(float(np.abs(apart).sum()) / 2)
    return found


@pytest.mark.parametrize("shape", [*SHAPES, *THREE_WAY, *NUMBERS], ids=lambda each: each.name)
def test_samples_are_of_one_law(shape: TableShape) -> None:
    """Two samples have the same margins except for chance, and a seed has one sample."""
    one, again, other = (shape.simulate(3_000, seed) for seed in (1, 1, 2))
    assert np.array_equal(one.codes, again.codes)
    assert not np.array_equal(one.codes, other.codes)
    for place, size in enumerate(shape.sizes):
        counts = [np.bincount(each.codes[:, place], minlength=size) for each in (one, other)]
        assert len(counts[0]) == size
        assert np.abs(counts[0] - counts[1]).sum() / 6_000 < 0.02 + 0.014 * np.sqrt(size)


def test_a_parity_is_shown_by_no_pair() -> None:
    records = picture_shape("12 parity").simulate(20_000, 1)
    first, second, third = records.codes[:, :3].T
    assert max(dependence(records)[place] for place in (0, 1, 11)) < 0.02
    assert abs(((first == second) == third).mean() - 0.95) < 0.01


def test_what_is_kept_apart_is_of_the_same_sample_and_shared_with_nothing() -> None:
    shape = picture_shape("16 flags")
    parts = shape.parts(1, 500, 200)
    whole = shape.simulate(900, 1)
    assert [len(each) for each in parts] == [500, 200, 200]
    assert np.array_equal(np.concatenate([each.codes for each in parts]), whole.codes)


@pytest.mark.parametrize(
    ("name", "typical", "strong"),
    [
        ("16 flags", (0.15, 0.19), (0.18, 0.24)),
        ("42 mixed", (0.05, 0.09), (0.20, 0.35)),
        ("12 loose", (0.0, 0.02), (0.0, 0.05)),
        ("24 paired", (0.0, 0.02), (0.0, 0.03)),
    ],
)
def test_columns_depend_on_one_another_as_said(
    name: str, typical: tuple[float, float], strong: tuple[float, float]
) -> None:
    found = dependence(picture_shape(name).simulate(20_000, 1))
    assert typical[0] <= float(np.median(found)) <= typical[1]
    assert strong[0] <= float(np.quantile(found, 0.9)) <= strong[1]
    assert (max(found) > 0.3) == (name in {"42 mixed", "24 paired"})
