"""What can be done with a chart: read it as a table, and carry it away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from understudy.charts import export
from understudy_dashboard.parts import pictures

SCRIPT = """
import numpy as np
from understudy_dashboard.parts.pictures import draw_picture, label_pictures
from understudy.charts.passing import pass_rate_curves, pass_rate_curves_table
from understudy.runs.folder import RunFolder
from pathlib import Path

ks, curves = np.array([1, 10]), {{"ω = 9": np.array([1.0, 0.5])}}
with label_pictures(RunFolder(Path({path!r}))):
    draw_picture(
        pass_rate_curves(ks, curves, 10),
        pass_rate_curves_table(ks, curves),
        key="of ω = 9",
        alt="Who passes",
        confidential={confidential},
    )
"""


def page(path: Path, *, confidential: bool = True) -> AppTest:
    script = SCRIPT.format(path=str(path), confidential=confidential)
    return AppTest.from_string(script, default_timeout=30).run()


@pytest.mark.parametrize("confidential", [True, False])
def test_there_is_a_button_for_each_kind_of_file(tmp_path: Path, confidential: bool) -> None:
    shown = page(tmp_path / "run-1", confidential=confidential)
    assert not shown.exception
    labels = [each.label for each in shown.get("download_button")]
    assert labels == ["SVG", "PNG", "CSV"]
    assert any("it is internal" in each.value for each in shown.caption) == confidential


def test_nothing_is_drawn_before_a_button_is_pressed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drawn(*_: object) -> None:
        raise AssertionError("drawn without being asked")

    monkeypatch.setattr(export, "svg", drawn)
    monkeypatch.setattr(export, "png", drawn)
    monkeypatch.setattr(export, "with_mark", drawn)
    assert not page(tmp_path / "run-1").exception


def test_it_can_be_read_as_a_table(tmp_path: Path) -> None:
    shown = page(tmp_path / "run-1")
    assert not shown.dataframe
    shown.toggle[0].set_value(True).run()
    assert shown.dataframe[0].value["k"].tolist() == [1, 10]


KEPT = """
import numpy as np
import streamlit as st
from understudy_dashboard.parts.pictures import KeptPicture, draw_kept_picture
from understudy.charts.passing import pass_rate_curves, pass_rate_curves_table

ks, curves = np.array([1, 10]), {"ω = 9": np.array([1.0, 0.5])}
if "kept" not in st.session_state:
    st.session_state["kept"] = KeptPicture(
        pass_rate_curves(ks, curves, 10), pass_rate_curves_table(ks, curves)
    )
draw_kept_picture(st.session_state["kept"], key="kept", alt="Who passes")
"""


def test_a_chart_that_is_kept_is_described_once_and_drawn_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    described = []

    def on_page(figure: Any, *, dark: bool) -> dict[str, Any]:
        described.append(dark)
        return export.on_page(figure, dark=dark)

    monkeypatch.setattr(pictures, "on_page", on_page)
    page = AppTest.from_string(KEPT, default_timeout=30).run()
    (first,) = page.get("vega_lite_chart")
    assert first.proto.datasets
    (second,) = page.run().get("vega_lite_chart")
    assert second.proto.SerializeToString() == first.proto.SerializeToString()
    assert described == [False]
