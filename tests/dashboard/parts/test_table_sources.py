"""Opening a table: which reason is given where it cannot be read. Pictures on the Data page:
declared, read into a table, refused in words. What can be done with a chart: read it as a table,
and carry it away. A finished run of pictures: real beside made on Inspect, made ones alone on
Release. Categories and missing values as text, and back.
"""

from __future__ import annotations

import base64
import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import answer_all, keyed, say_new, session_of, uploader
from understudy.charts import export
from understudy.core.files import INTERNAL
from understudy.core.home import home
from understudy.core.refusal import Refusal
from understudy.mechanisms.registry import opening_plan
from understudy.runs.control import start, wait
from understudy.runs.work import Job
from understudy.table.categories import Categories
from understudy.table.missing_codes import MissingCode
from understudy.table.pictures.grey import GreySet
from understudy.table.pictures.picture_schema import Pictures
from understudy.table.raw import RawTable
from understudy.table.sources.source import FOLDERS
from understudy_dashboard.ledger_status import dataset_of
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.parts import pictures, table_sources
from understudy_dashboard.parts.column_form import (
    fits_lines,
    format_categories,
    format_missing,
    format_tokens,
    parse_missing_lines,
    parse_tokens,
    read_lines,
)
from understudy_dashboard.session import Session


def test_a_file_that_is_no_table_either_way_is_refused_by_what_was_declared(
    session: Session,
) -> None:
    def refuse(said: str) -> Any:
        def refused(*_: object) -> RawTable:
            raise Refusal(said, "Mend it.", field="table")

        return refused

    with pytest.raises(Refusal, match="As declared") as caught:
        table_sources._read_first(session, refuse("As it seems."), refuse("As declared."))
    assert caught.value.field == "table"
    found = session.data.table
    assert found is not None
    assert (
        table_sources._read_first(session, lambda: found.raw, refuse("As declared.")) is found.raw
    )
    session.settings.schema = None
    with pytest.raises(Refusal, match="As it seems"):
        table_sources._read_first(session, refuse("As it seems."), refuse("As declared."))


Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]

_PLACE = "grey pictures"


def npz(high: int = 8, count: int = 30) -> bytes:
    grey = np.random.default_rng(4).integers(0, 256, (count, high, 8), dtype=np.uint8)
    packed = io.BytesIO()
    np.savez_compressed(packed, pictures=grey)
    return packed.getvalue()


def zipped(*pictures: Image.Image) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number, each in enumerate(pictures):
            content = io.BytesIO()
            each.save(content, "PNG")
            archive.writestr(f"somebody{number}.png", content.getvalue())
    return packed.getvalue()


def declare(page: AppTest, content: bytes | None, name: str = "p.npz", **settings: int) -> AppTest:
    """The page, once a file was given with these settings."""
    if content is not None:
        uploader(page, _PLACE).upload(name, content)
    for setting, value in settings.items():
        next(each for each in page.number_input if str(each.key).startswith(f"pictures-{setting}-")
             ).set_value(value)  # fmt: skip
    return next(each for each in page.button if each.label == "Open these pictures").click().run()


def test_pictures_are_opened_with_their_declared_schema(opened: Opened, said: Said) -> None:
    page = declare(opened("data"), npz(), height=4, width=4, reduced=2, levels=10)
    assert not page.exception
    assert not page.error
    session = session_of(page)
    about = Pictures(height=4, width=4, reduced=2, levels=10)
    assert session.settings.schema is not None
    assert session.settings.schema.fingerprint == about.make_schema().fingerprint
    assert not session.settings.declared
    assert session.data.table is not None
    assert session.data.table.raw.rows == 30
    assert len(session.records()) == 30
    assert session.project is not None
    answer_all(session)
    page.run()
    keyed(page, "checkbox", session.settings.schema.fingerprint).check().run()
    page.button(key="confirm-data").click().run()
    assert session_of(page).settings.declared
    text = said(page)
    assert "pictures, a record for each" in text
    assert "CSV" not in text


def test_the_same_pictures_are_known_again(opened: Opened) -> None:
    page = declare(opened("data"), npz(), height=8)
    page.button(key="close").click().run()
    page = declare(page, npz(), height=8)
    session = session_of(page)
    assert session.question is None
    assert session.data.table is not None
    assert len(session.settings.schema or ()) == 64


@pytest.mark.parametrize(
    ("content", "name", "settings", "told"),
    [
        (None, "", {}, "No file is given"),
        (npz(high=9), "p.npz", {}, "has no array “pictures” of (n, 8, 8)"),
        (npz(), "p.npz", {"height": 40, "width": 40}, "1,600 pixels"),
        (zipped(Image.new("RGB", (8, 8))), "p.zip", {}, "has colours"),
        (b"PK no archive", "p.npz", {}, "damaged"),
        (zipped(Image.new("L", (8, 8)), Image.new("L", (9, 8))), "p.zip", {}, "the declared size"),
        (npz(), "p.npz", {"people": 40, "each": 10}, "nothing can be released"),
    ],
    ids=[
        "none",
        "another size",
        "too many pixels",
        "colours",
        "damaged",
        "unlike sizes",
        "too few people",
    ],
)
def test_what_cannot_be_read_is_answered_in_words(
    opened: Opened, content: bytes | None, name: str, settings: dict[str, int], told: str
) -> None:
    page = declare(opened("data", Session()), content, name, **settings)
    assert not page.exception
    (error,) = page.error
    assert told in error.value.replace("\\", "")
    assert "somebody" not in error.value
    assert session_of(page).data.table is None


def test_a_folder_is_opened_by_its_path(opened: Opened, tmp_path: Path) -> None:
    for each in range(3):
        Image.new("L", (8, 8), each).save(tmp_path / f"{each}.png")
    page = opened("data", Session())
    typed = next(each for each in page.text_input if str(each.key).startswith("pictures-path-"))
    typed.set_value(str(tmp_path))
    page = declare(page, None)
    assert not page.exception
    assert not page.error
    table = session_of(page).data.table
    assert table is not None
    assert table.raw.rows == 3


def test_a_folder_outside_of_those_that_are_named_is_not_opened(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDERS, str(tmp_path / "open"))
    page = opened("data", Session())
    typed = next(each for each in page.text_input if str(each.key).startswith("pictures-path-"))
    typed.set_value(str(tmp_path))
    page = declare(page, None)
    assert not page.exception
    assert "does not open files from" in page.error[0].value
    assert session_of(page).data.table is None


SCRIPT = """
import numpy as np
from understudy_dashboard.parts.pictures import draw_picture, label_pictures
from understudy.charts.pass_rate import pass_rate_curves, pass_rate_curves_table
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
from understudy.charts.pass_rate import pass_rate_curves, pass_rate_curves_table

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


@pytest.fixture
def made() -> Session:
    """Pictures of 3 × 3 pixels, open, and a run that made others of them."""
    about = Pictures(height=3, width=3, levels=4)
    light = np.random.default_rng(3).integers(0, 3, (600, 1, 1))
    grey = (light + np.random.default_rng(4).integers(0, 3, (600, 3, 3))).astype(np.uint8)
    session = Session()
    table = GreySet(about, grey, np.zeros(600, np.uint8)).table()
    session.open(LoadedTable("p.npz", table), about.make_schema().declare_public())
    session.settings.method = "latent"
    say_new(session)
    assert session.settings.schema is not None
    plan = opening_plan("latent", session.settings.schema, {"rows": 300})
    run = start(Job(session.records(), plan), home(), dataset=dataset_of(session))
    assert wait(run).state == "finished"
    return session


def sheets(page: AppTest) -> list[Image.Image]:
    """The pictures within a page, in their order."""
    found = [
        re.search(r'src="data:image/png;base64,([^"]+)" alt="The first', each.proto.body)
        for each in page.get("html")
    ]
    return [Image.open(io.BytesIO(base64.b64decode(each[1]))) for each in found if each]


def test_real_ones_stand_marked_beside_made_ones(opened: Opened, made: Session) -> None:
    page = opened("inspect", made)
    page.session_state["inspect-tab"] = "Pictures"
    page.run()
    assert not page.exception
    assert [each.info.get("Comment") for each in sheets(page)] == [INTERNAL, None]


def test_without_the_table_no_real_one_is_shown(opened: Opened, made: Session) -> None:
    page = opened("inspect", Session())
    page.session_state["inspect-tab"] = "Pictures"
    page.run()
    assert not page.exception
    assert [each.info.get("Comment") for each in sheets(page)] == [None]
    assert any("Open them to see some" in each.value for each in page.info)


def test_made_ones_can_be_saved_on_release(opened: Opened, made: Session) -> None:
    page = opened("release", made)
    assert not page.exception
    (sheet,) = sheets(page)
    assert "Comment" not in sheet.info
    assert "pictures-synthetic" in {str(each.key) for each in page.download_button}


def test_between_made_ones_more_is_drawn_when_it_is_asked_for(
    opened: Opened, said: Said, made: Session
) -> None:
    page = opened("release", made)
    assert not page.exception
    choice = next(each for each in page.radio if str(each.key).startswith("between-"))
    assert choice.value is None
    assert len(choice.options) == 2
    for each, told in (("walks", "even steps"), ("decodings", "decoded several times")):
        page.radio(key=choice.key).set_value(each).run()
        assert not page.exception
        assert not page.error
        assert told in said(page)


_TEXT = st.text("abc XYZ<>=0189-.", min_size=1, max_size=8).map(str.strip).filter(bool)


@settings(max_examples=60, deadline=None)
@given(st.lists(_TEXT, min_size=1, max_size=6, unique=True), st.data())
def test_an_editable_list_says_the_same_as_its_lines(
    values: list[str], data: st.DataObject
) -> None:
    labels = data.draw(st.lists(_TEXT, min_size=len(values), max_size=len(values)))
    for categories in (
        Categories(values=tuple(values)),
        Categories(values=tuple(values), labels=tuple(labels)),
    ):
        try:
            kept = read_lines(Categories, format_categories(categories)) == categories
        except Refusal:
            kept = False
        assert fits_lines(categories) == kept


def test_values_and_labels_are_read_from_lines() -> None:
    found = read_lines(Categories, "1 = Male\n\n 2 = Female \n9")
    assert found == Categories(values=("1", "2", "9"), labels=("Male", "Female", "9"))


def test_a_value_that_looks_like_a_label_is_not_offered_as_a_list() -> None:
    assert not fits_lines(Categories(values=("a = b", "c")))
    assert not fits_lines(Categories(values=("a = b", "a = c")))
    assert not fits_lines(Categories(values=("a\nb", "c")))
    assert fits_lines(Categories(values=("<=50K", ">50K")))


def test_a_category_named_twice_is_refused() -> None:
    with pytest.raises(Refusal):
        read_lines(Categories, "a\nb\na")


def test_texts_for_missing_keep_the_blank_one() -> None:
    assert format_tokens(("", "NA", "?")) == "(blank), NA, ?"
    assert parse_tokens("(blank), NA ,NA, ?") == ("", "NA", "?")
    assert parse_tokens("  ") == ("",)


def test_codes_for_missing_stand_one_a_line() -> None:
    codes = [
        MissingCode(values=("", "NA")),
        MissingCode(values=("-8",), label="not asked = no answer"),
        MissingCode(values=("-9", "-99")),
    ]
    lines = "(blank), NA\n-8 = not asked = no answer\n-9, -99"
    assert format_missing(codes) == lines
    assert parse_missing_lines(f"\n{lines}\n  \n") == codes
    assert parse_missing_lines("-9 = ") == [MissingCode(values=("-9",))]
    assert parse_missing_lines(" = refused") == [MissingCode(label="refused")]


_SIGNS = st.text(st.sampled_from(' ,="-8a()'), max_size=6).map(str.strip)


@given(
    st.lists(st.tuples(st.lists(_SIGNS, min_size=1, max_size=3, unique=True), _SIGNS), max_size=3)
)
def test_codes_for_missing_are_the_same_after_being_shown(
    parts: list[tuple[list[str], str]],
) -> None:
    codes = [MissingCode(values=tuple(values), label=label) for values, label in parts]
    assert parse_missing_lines(format_missing(codes)) == codes
