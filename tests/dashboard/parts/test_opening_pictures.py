"""Pictures on the Data page: declared, read into a table, refused in words."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from tests.dashboard.data_page import keyed, session_of, uploader
from tests.dashboard.spoken_for import answer_all
from understudy.table.pictures.declared import Pictures
from understudy.table.sources.source import FOLDERS
from understudy_dashboard.session import Session

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
    assert session.settings.schema.fingerprint == about.described().fingerprint
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
