"""A demonstration shows simulated people, and opens nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from understudy.core.refusal import Refusal
from understudy.table.raw import RawTable
from understudy.table.sources.reading import read_table
from understudy_dashboard import __main__ as starting
from understudy_dashboard.demo import FOLDER, begins_with_sample, is_demonstration, refuse_own
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.session import Session

_NOT_HERE = ("packets", "sign_in")
"""Pages of a server that people sign in to."""
VIEWS = [
    path.stem
    for path in sorted((starting.APP.parent / "views").glob("*.py"))
    if path.stem not in _NOT_HERE
]


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY_DEMO", "1")


@pytest.fixture
def raw(csv: bytes) -> RawTable:
    return read_table(csv, name="mine.csv")


def test_nothing_is_refused_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_demonstration()
    refuse_own()
    monkeypatch.setenv("UNDERSTUDY_SAMPLE", "1")
    assert begins_with_sample()
    assert not is_demonstration()


@pytest.mark.usefixtures("demo")
def test_a_table_of_ones_own_is_refused_at_the_door(raw: RawTable) -> None:
    session = Session()
    with pytest.raises(Refusal, match="demonstration"):
        session.open(LoadedTable("mine.csv", raw))
    assert session.data.table is None


@pytest.mark.usefixtures("demo")
def test_the_server_of_a_demonstration_takes_no_file() -> None:
    assert starting.flags(8600)["server_maxUploadSize"] == 0


def test_another_server_takes_files() -> None:
    assert starting.flags(8600)["server_maxUploadSize"] > 0


def test_a_demonstration_keeps_its_runs_apart(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # What the start sets has to be undone with everything else.
    monkeypatch.setattr(os, "environ", dict(os.environ))
    starting._begin(starting._options(["--demo"]))
    assert is_demonstration()
    assert os.environ["UNDERSTUDY_HOME"] == str(home / FOLDER)


def test_the_sample_can_be_opened_at_once_without_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "environ", dict(os.environ))
    starting._begin(starting._options(["--sample"]))
    assert begins_with_sample()
    assert not is_demonstration()
    assert os.environ["UNDERSTUDY_HOME"] == str(home)


@pytest.mark.usefixtures("demo")
def test_no_page_of_a_demonstration_offers_an_upload(opened: Callable[..., AppTest]) -> None:
    page = opened("data")
    for view in VIEWS:
        page.switch_page(f"views/{view}.py").run()
        assert not page.exception, view
        assert not page.file_uploader, view
        labels = [each.label.casefold() for each in page.text_input]
        assert not [each for each in labels if "path" in each or "connection" in each], view


@pytest.mark.usefixtures("demo")
def test_it_says_that_it_is_one(
    opened: Callable[..., AppTest], said: Callable[[AppTest], str]
) -> None:
    assert "Demonstration." in said(opened("data"))
