"""What pages show of a run of several tables, and of one of figures alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import packet_made
from tests.installed_mechanism.installing import several_outputs
from tests.installed_mechanism.several_outputs import SeveralPlan
from understudy.core.home import home
from understudy.report.verify import verify
from understudy.runs.control import start, wait
from understudy.runs.work import Job
from understudy_dashboard.ledger_status import dataset_of
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture(autouse=True)
def installed(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    with several_outputs(tmp_path_factory, monkeypatch):
        yield


def released(session: Session, **settings: Any) -> Session:
    """A session with a finished run."""
    records = session.records()
    schema = records.schema
    plan = SeveralPlan(domain=schema.fingerprint, column=schema.names[0], rows=60, **settings)
    made = start(Job(records, plan), home(), dataset=dataset_of(session))
    assert wait(made).state == "finished"
    return session


def test_each_output_of_several_can_be_looked_at_and_downloaded(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("release", released(session, tables=2))
    assert not page.exception
    assert not page.error
    names = [each.label for each in page.get("download_button")]
    assert [name for name in names if "guarantee" not in name][:4] == [
        "Download drawn-1 (60 records)",
        "Download drawn-2 (60 records)",
        f"Download totals ({_totals(session)})",
        "Download counts",
    ]
    table = next(each for each in page.selectbox if each.label == "Table")
    assert table.options == ["drawn-1", "drawn-2", "totals"]
    table.set_value("totals").run()
    assert not page.exception
    page = opened("inspect", session)
    assert not page.exception
    assert not page.error


def _totals(session: Session) -> str:
    return f"{session.records().schema.columns[0].cardinality} records"


def test_figures_alone_are_said_to_be_no_table(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("release", released(session, tables=0, totals=False))
    assert not page.exception
    assert "The first records" not in said(page)
    assert "The counts" in said(page)
    page = opened("inspect", session)
    assert not page.exception
    assert not page.error


def test_a_packet_of_figures_alone_verifies_and_speaks_of_no_table(
    opened: Opened, said: Said, session: Session, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened("release", released(session, tables=0, totals=False))
    packet = packet_made(page, monkeypatch)
    assert verify(packet.path).passed
    report = (packet.path / "report.html").read_text(encoding="utf-8")
    for text in (report, said(page)):
        assert "drawn from what is released" in text
        assert "this table" not in text
        assert "the released table" not in text
    page.switch_page("views/inspect.py").run()
    assert not page.exception
    assert "no records to compare with real ones" in said(page)
    assert {"Overview", "Compare"} <= {each.label for each in page.tabs}
    assert "Distances" not in {each.label for each in page.tabs}
    page.switch_page("views/present.py").run()
    assert not page.exception
    assert "1. Figures of the confidential table" in said(page)
