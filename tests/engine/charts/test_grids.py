"""Numbers beside a bar of colours."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from understudy.charts.grids import share_form


@given(st.floats(-1, 1), st.floats(1e-5, 1))
def test_no_two_numbers_beside_a_bar_are_alike(low: float, span: float) -> None:
    form = share_form(low, low + span)
    found = re.fullmatch(r"\.(\d)~%", form)
    assert found is not None
    places = int(found[1])
    shown = [f"{100 * each:.{places}f}" for each in np.linspace(low, low + span, 6)]
    assert len(set(shown)) == 6


def test_a_scale_of_one_point_is_written_plainly() -> None:
    assert share_form(0.0, 1.0) == ".0~%"
    assert share_form(0.0, 0.0015) == ".3~%"
    assert share_form(0.2, 0.2) == ".0~%"
