from __future__ import annotations

import numpy as np

from understudy.charts import pair_shares
from understudy.charts.scales import NOT_FOR_RELEASE


def test_squares_of_few_records_are_blank_and_those_far_out_are_at_the_edge() -> None:
    points = np.concatenate([np.full((40, 2), 0.1), np.full((19, 2), 1.1), np.full((30, 2), 9.0)])
    squares = pair_shares.density(points)
    shares = squares.set_index(["x", "y"])["Share of records"]
    assert shares.tolist() == [round(40 / 89, 4), round(30 / 89, 4)]
    assert squares["x2"].max() == 3.0
    drawn = pair_shares.density_map(squares, pair_shares.most_of(squares)).to_dict()
    assert drawn["title"]["text"] == NOT_FOR_RELEASE


def test_nothing_is_drawn_of_nobody() -> None:
    squares = pair_shares.density(np.zeros((0, 2)))
    assert squares.empty
    assert pair_shares.most_of(squares) == 0.0
    assert pair_shares.density_map(squares, 0.0).to_dict()


def test_a_ring_is_drawn_about_a_point_and_stays_on_the_plane() -> None:
    squares = pair_shares.density(np.full((40, 2), 0.1))
    ring = (np.array([2.5, 0.0]), 1.0)
    drawn = pair_shares.density_map(squares, 1.0, ("a", "b"), ring).to_dict()
    values = [each for data in drawn["datasets"].values() for each in data]
    on_the_ring = [(each["x"], each["y"]) for each in values if "at" in each]
    assert max(x for x, _ in on_the_ring) == 3.0
    assert 1.5 <= min(x for x, _ in on_the_ring) < 1.51
    assert drawn["title"]["text"] == NOT_FOR_RELEASE
    assert pair_shares.density_map(pair_shares.density(np.zeros((0, 2))), 0.0, ring=ring).to_dict()
