"""The simulated city, against statistics of real traces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from understudy.core.refusal import Refusal
from understudy.samples import city
from understudy.table.encoding import encode
from understudy.table.positions.area import Area
from understudy.table.positions.positions import Positions
from understudy.table.schema import Schema
from understudy.table.sources.positions.reading import read_positions
from understudy.table.sources.positions.writing import write
from understudy.table.sources.reading import read_table


def test_the_same_seed_makes_the_same_people_and_more_begin_with_fewer() -> None:
    assert (city.simulate(3, 7) == city.simulate(5, 7)[:3]).all()
    assert (city.simulate(3, 7) != city.simulate(3, 8)).any()


def test_everybody_is_on_land_somewhere_at_every_moment() -> None:
    people = city.simulate(40, 1)
    assert people.shape == (40, 14, 72)
    assert people.max() < city.CELLS
    assert not city.city().river[people[:, :, 0]].any()


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
    write(read_positions(read_table(tmp_path / "positions.csv"), how).raw, tmp_path / "read.csv")
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
