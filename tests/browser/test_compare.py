"""Two runs side by side, and a figure carried away, as a custodian does it."""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.custodian import Custodian
from tests.browser.serving import Server
from tests.support import started
from understudy.charts.export import INTERNAL
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.projects.catalogue import list_projects
from understudy.runs.control import wait
from understudy.runs.work import Job
from understudy.samples import census
from understudy.table.records import Records


def two_runs(place: Path) -> None:
    """Two seedless releases of some of the census, of 300 and of 400 records."""
    schema = census.schema()
    records = Records(schema, census.simulate(6_000, seed=1))
    for attempts in (300, 400):
        plan = Plan.of(schema, omega=Omega(low=len(schema), high=len(schema)), attempts=attempts)
        assert wait(started(Job(records, plan), place)).state == "finished"


@pytest.mark.thorough(
    "dashboard/parts/inspect/test_compare.py::test_settings_totals_and_what_was_kept_stand_side_by_side"
)
@pytest.mark.usefixtures("in_this_process")
def test_runs_stand_side_by_side_and_a_figure_can_be_carried_away(
    person: Custodian, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.open_sample()
    monkeypatch.setenv("UNDERSTUDY_HOME", str(server.home))
    (project,) = list_projects(server.home / "projects")
    two_runs(project.runs)
    person.go("Inspect")
    panel = person.main.get_by_role("tabpanel")
    expect(panel.get_by_text("released records differ from held-out ones")).to_be_visible()
    expect(panel.get_by_test_id("stVegaLiteChart")).to_have_count(1)
    _carry_away(person)
    person.turn_to("Compare")
    expect(panel.get_by_text("Choose up to three other runs")).to_be_visible()
    person.choose("Other runs", "300 attempts")
    # As long as the list of runs is open, it is all that can be acted on.
    person.page.keyboard.press("Escape")
    settings = panel.get_by_role("table").filter(has_text="N, attempts or records planned")
    expect(settings.get_by_role("cell", name="300", exact=True)).to_be_visible()
    expect(settings.get_by_role("cell", name="400", exact=True)).to_be_visible()
    chart = panel.get_by_test_id("stVegaLiteChart")
    expect(chart.get_by_text("INTERNAL · not for release").first).to_be_visible()
    person.settled()
    assert person.traffic.abroad == []
    assert person.traffic.errors == []


def _carry_away(person: Custodian) -> None:
    """Every kind of file of the first chart."""
    person.press("Save")
    drawing, picture, numbers = (_saved(person, kind) for kind in ("SVG", "PNG", "CSV"))
    assert all(path.name.startswith("INTERNAL-story") for path in (drawing, picture, numbers))
    text = "".join(ET.fromstring(drawing.read_text(encoding="utf-8")).itertext())
    assert INTERNAL in text
    assert "release-" in text
    assert picture.read_bytes().startswith(b"\x89PNG")
    with numbers.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert {line["What"] for line in lines} >= {"Single columns", "Pairs of columns"}
    assert all(line["INTERNAL"].startswith(INTERNAL) for line in lines)
    person.page.keyboard.press("Escape")


def _saved(person: Custodian, kind: str) -> Path:
    with person.page.expect_download() as download:
        person.ready(person.page.get_by_role("button", name=kind, exact=True)).click()
    place = person.folder / download.value.suggested_filename
    download.value.save_as(place)
    return place
