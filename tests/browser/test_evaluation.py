"""Everything measured on the sample census, seen as a custodian sees it. Two runs side by side,
and a figure carried away, as a custodian does it.
"""

from __future__ import annotations

import csv
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.custodian import Custodian
from tests.browser.serving import Server
from tests.dashboard.builders import evaluation, put
from tests.dashboard.conftest import tiny_csv, tiny_session
from tests.support import started
from understudy.charts.export import INTERNAL
from understudy.evaluation.measure import MARGINALS, REALS, RELEASED
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.projects.catalogue import list_projects
from understudy.runs.control import wait
from understudy.runs.work import Job
from understudy.samples import census
from understudy.table.records import Records

_MEASURE = "Accuracy of prediction"
_INTERVAL = re.compile(r"\d(\s%)?\s+\(.*\d to .*\d.*\)$")
_MEASURED = (
    ("Distances", "Every distance", "Total variation of columns"),
    ("Prediction", "Trees and forests", _MEASURE),
    ("Prediction", "Linear classifiers", "Accuracy of linear classifiers"),
    ("Distinguishing", "Telling records apart", "Telling records from real ones"),
    ("Distinguishing", "Propensity", "pMSE of a logistic regression"),
    ("Disclosure", "", "These are findings, not a guarantee."),
)
"""The parts whose first chart has a row for each table, and words that only they have."""


@pytest.mark.thorough(
    "dashboard/views/test_evaluation_page.py::test_every_value_stands_beside_both_references_with_its_interval"
)
def test_a_measured_run_stands_beside_its_references(
    person: Custodian, server: Server, monkeypatch: pytest.MonkeyPatch, in_this_process: None
) -> None:
    monkeypatch.setenv("UNDERSTUDY_HOME", str(server.home))
    person.upload("tiny.csv", tiny_csv())
    person.at("Data")
    (project,) = list_projects(server.home / "projects")
    own = tiny_session()
    run = started(Job(own.records(), own.settings.plan()), project.runs)
    put(run, evaluation())
    person.go("Inspect")
    _look_at(person, *_MEASURED[1])
    chart = _chart(person)
    for name in (REALS, MARGINALS, RELEASED):
        expect(chart.get_by_text(name, exact=True).first).to_be_visible()
    expect(chart.get_by_text(_INTERVAL).first).to_be_visible()
    _as_a_table(person)
    assert person.traffic.abroad == []
    assert person.traffic.errors == []


@pytest.mark.thorough(
    "dashboard/views/test_evaluation_page.py::test_every_value_stands_beside_both_references_with_its_interval"
)
def test_every_number_stands_beside_its_references_with_an_interval(person: Custodian) -> None:
    person.open_sample()
    person.go("Generate")
    person.generate()
    person.follow("See what was kept and what was lost", "Inspect")
    person.measure_everything()
    _overview(person)
    for tab, part, words in _MEASURED:
        _look_at(person, tab, part, words)
        chart = _chart(person)
        for name in (REALS, MARGINALS, RELEASED):
            expect(chart.get_by_text(name, exact=True).first).to_be_visible()
        expect(chart.get_by_text(_INTERVAL).first).to_be_visible()
        _as_a_table(person)
    _look_at(person, "Models", "Accuracy by column", "Accuracy of models")
    expect(_chart(person).get_by_text("model without noise", exact=True).first).to_be_visible()
    expect(_panel(person).get_by_text("Occupation", exact=True).first).to_be_visible()
    _as_a_table(person)
    expect(person.main.get_by_role("tab", name="Privacy test", exact=True)).to_have_count(0)
    assert person.traffic.abroad == []
    assert person.traffic.errors == []


def _look_at(person: Custodian, tab: str, part: str, words: str) -> None:
    """Turn to a part, and wait until what is seen is no longer the one before."""
    person.turn_to(tab, part)
    said = _panel(person).get_by_test_id("stMarkdownContainer").get_by_text(words)
    expect(said.last).to_be_visible()
    person.settled()


def _overview(person: Custodian) -> None:
    expect(person.main.get_by_text("trained on the released table predicts")).to_be_visible()
    chart = _chart(person)
    expect(chart.get_by_text("Do models learned from it work?").first).to_be_visible()
    expect(chart.get_by_text("INTERNAL · not for release").first).to_be_visible()
    _as_a_table(person)
    _look_at(person, "Overview", "Every measure", "The numbers")
    # On the scale or, where chance has its two ends fall together, among what is left out of it.
    on_scale = _chart(person).get_by_text(_MEASURE, exact=True)
    left_out = _panel(person).get_by_text(re.compile(f"^Left out: .*{_MEASURE}"))
    expect(on_scale.or_(left_out).first).to_be_visible()
    _as_a_table(person)


def _as_a_table(person: Custodian) -> None:
    """Ask for the first chart as a table, and for the chart again."""
    panel = _panel(person)
    tables, charts = panel.get_by_test_id("stDataFrame"), _charts(person)
    person.settled()
    before, drawn = tables.count(), charts.count()
    # By the key: what is above it may still be drawn, and grow while a pointer aims.
    toggle = panel.get_by_role("switch", name="As a table").first
    toggle.press("Space")
    expect(tables).to_have_count(before + 1)
    expect(charts).to_have_count(drawn - 1)
    person.settled()
    toggle.press("Space")
    expect(charts).to_have_count(drawn)


def _panel(person: Custodian) -> Locator:
    return person.main.get_by_role("tabpanel")


def _charts(person: Custodian) -> Locator:
    return _panel(person).get_by_test_id("stVegaLiteChart")


def _chart(person: Custodian) -> Locator:
    chart = _charts(person).first
    expect(chart).to_be_visible()
    return chart


def two_runs(place: Path) -> None:
    """Two seedless releases of some of the census, of 3,000 and of 4,000 records."""
    schema = census.schema(ruled=True)
    records = Records(schema, census.simulate(30_000, seed=1))
    for attempts in (3_000, 4_000):
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
    predicted = panel.get_by_role("combobox", name=re.compile("Column to predict$"))
    expect(predicted).to_have_value(re.compile("WAGP|wage"))
    _carry_away(person)
    person.turn_to("Compare")
    expect(panel.get_by_text("Choose up to three other runs")).to_be_visible()
    person.choose("Other runs", "3,000 rows")
    # As long as the list of runs is open, it is all that can be acted on.
    person.page.keyboard.press("Escape")
    settings = panel.get_by_role("table").filter(has_text="N, attempts or records planned")
    expect(settings.get_by_role("cell", name="3,000", exact=True)).to_be_visible()
    expect(settings.get_by_role("cell", name="4,000", exact=True)).to_be_visible()
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
