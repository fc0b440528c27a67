"""The annex says on every page that it is internal, and is in no packet."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pypdf
import pytest

from tests.engine.report.conftest import Making
from understudy.core.refusal import Refusal
from understudy.evaluation.comparison import Compared, Distances
from understudy.evaluation.evaluation import Evaluation, MeasuredTable
from understudy.evaluation.measure import (
    MARGINALS,
    REALS,
    RELEASED,
    Finding,
    Interval,
    SubjectResult,
)
from understudy.evaluation.registry import abouts
from understudy.mechanisms.seedbased.evaluation.figures import RunFigures
from understudy.report.annex import MARK, write_annex
from understudy.report.browser import find_chromium, print_pdf
from understudy.runs.folder import RunFolder
from understudy.table.authoring.column_origins import set_origin
from understudy.table.schema import Schema


def measured(run: RunFolder) -> None:
    """Figures and an evaluation with every measure there is."""
    pairs = np.array([[0.1, 0.2, 0.3], [0.2, 0.4, 0.25], [0.3, 0.25, 0.05]])
    distances = Distances(np.diag(pairs).copy(), pairs)
    compared = tuple(Compared(name, 80, distances) for name in (RELEASED, REALS, MARGINALS))
    RunFigures(((), (0,), (1,)), (0, 1, 2), compared, ()).save(run.internal)
    by = {
        RELEASED: SubjectResult(0.4711, Interval(0.4701, 0.4721)),
        REALS: SubjectResult(0.1),
        MARGINALS: SubjectResult(0.9),
    }
    findings = tuple(Finding(key, by) for key in abouts())
    trouble = Finding(next(iter(abouts())), trouble="There are too few records.")
    tables = (MeasuredTable(RELEASED, "released", 80),)
    folder = run.path / "evaluation" / "result1"
    Evaluation(tables, 40, "job", (*findings, trouble)).save(folder)


@pytest.fixture
def run(run_of: Making, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    made = run_of().run
    measured(made)
    kept = Evaluation.load(made.path / "evaluation" / "result1")
    monkeypatch.setattr("understudy.report.annex._find_evaluation", lambda run: kept)
    return made


def test_every_section_and_every_sheet_says_that_it_is_internal(run: RunFolder) -> None:
    text = write_annex(run)
    assert text.count("<section>") == text.count('<p class="internal">') - 1 > 2
    for section in text.split("<section>")[1:]:
        assert MARK in section
    assert f'@top-center {{ content: "{MARK}"' in text
    assert "47.1" in re.sub(r"<[^>]+>", "", text)
    assert "There are too few records." in text
    assert "script" not in text


def test_it_says_where_columns_are_known_from(run: RunFolder) -> None:
    schema = Schema.from_json(run.read_text("schema.json"))
    first, *others = schema.columns
    assert "known from" not in write_annex(run)
    run.write_text("schema.json", set_origin(schema, "law", [first.name]).to_json())
    text = write_annex(run)
    assert "1 from a law or regulation" in text
    assert all((each.title or each.name) in text for each in others)


def test_every_page_of_the_pdf_says_so(run: RunFolder) -> None:
    if find_chromium() is None:
        pytest.fail("The PDF needs a Chromium: apt-get install chromium", pytrace=False)
    made = print_pdf(write_annex(run))
    assert made is not None
    pages = [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(made)).pages]
    assert 1 < len(pages) <= 4  # of records' measures and those of days together
    for page in pages:
        assert page.replace("ﬁ", "fi").startswith(MARK)
        assert "Not for release" in page


def test_the_annex_is_in_no_packet(run_of: Making) -> None:
    made = run_of()
    measured(made.run)
    packet = made.packet()
    for path in packet.path.iterdir():
        content = path.read_bytes()
        assert b"INTERNAL" not in content
        assert b"0.4711" not in content
        assert b"47.11" not in content
    assert not list(made.place.rglob("*annex*"))


def test_a_run_without_figures_has_none(run_of: Making) -> None:
    with pytest.raises(Refusal):
        write_annex(run_of().run)


def test_the_report_of_a_packet_prints_the_same_each_time(run_of: Making, tmp_path: Path) -> None:
    made = run_of()
    one = made.packet(pdf=True)
    content = (one.path / "report.pdf").read_bytes()
    again = print_pdf(one.report.read_text(encoding="utf-8"))
    assert again == content
    pages = [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(content)).pages]
    assert len(pages) >= 4
    for number, page in enumerate(pages, 1):
        assert f"Page {number} of {len(pages)}" in page
    assert b"D:20261" not in content


def test_without_a_browser_the_report_is_html_only(
    run_of: Making, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_CHROMIUM", "/nowhere/chromium")
    packet = run_of().packet(pdf=True)
    assert not (packet.path / "report.pdf").exists()
    assert "report.pdf" not in packet.report.read_text(encoding="utf-8")
    assert packet.whole
