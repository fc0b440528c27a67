"""Another table that stands in for the confidential one where many plans are tried at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from understudy.core.refusal import Refusal
from understudy.runs.folder import RunFolder
from understudy.runs.work import Job
from understudy.samples import census
from understudy.table.categories import Categories
from understudy.table.encoding import to_csv_bytes
from understudy.table.schema import Schema
from understudy_dashboard.methods.seedbased import score_sources
from understudy_dashboard.methods.seedbased.privacy import MANY
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]


def test_a_public_table_is_read_by_the_same_schema(session: Session, csv: bytes) -> None:
    found = score_sources._read_records(session, csv, "open.csv")
    assert found.codes.tolist() == session.records().codes.tolist()
    with pytest.raises(Refusal, match="pay"):
        score_sources._read_records(session, b"age,job\n20,cook\n", "open.csv")
    with pytest.raises(Refusal, match="job"):
        score_sources._read_records(session, b"age,job,pay\n20,king,low\n", "open.csv")


def test_a_table_that_was_released_here_is_read_back(
    sessions: Callable[..., Session], csv: bytes, schema: Schema
) -> None:
    age, job, pay = schema.columns
    jobs = Categories(values=tuple(each.replace("cook", "=cook") for each in job.domain.texts))
    renamed = Schema(columns=(age, job.changed(domain=jobs), pay)).declare_public()
    session = sessions(csv.replace(b"cook", b"=cook"), renamed)
    written = to_csv_bytes(session.records())
    assert b"'=cook" in written
    found = score_sources._read_records(session, written, "synthetic.csv")
    assert found.codes.tolist() == session.records().codes.tolist()


def test_the_simulated_people_are_others_than_those_of_the_sample(
    sessions: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(census, "SHIPPED_ROWS", 700)
    shipped = census.TABLE.read_bytes().splitlines()[:701]
    session = sessions(b"\n".join(shipped), census.schema())
    found = score_sources._simulate_records(session)
    assert len(found) == 700
    assert isinstance(found.schema, Schema)
    ours = {row.tobytes() for row in session.records().codes}
    assert sum(row.tobytes() in ours for row in found.codes) < 350
    assert to_csv_bytes(found) != to_csv_bytes(session.records())


def test_an_upload_stands_in_once_it_is_said_to_be_public(
    opened: Opened, session: Session, csv: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs: list[Job] = []

    def started(job: Job, place: Path) -> RunFolder:
        jobs.append(job)
        return RunFolder(place / "20270101T000000-rehearsal-0")

    monkeypatch.setattr(score_sources, "start", started)
    page = opened("privacy", session, detail=MANY)
    next(each for each in page.file_uploader if "public" in each.label).upload("open.csv", csv)
    page.run()
    assert page.button(key="explore-take-public").disabled
    page.checkbox(key="explore-public-0").set_value(True).run()
    page.button(key="explore-take-public").click().run()
    assert not page.exception
    (job,) = jobs
    assert (job.purpose, job.records_of, job.named) == ("rehearsal", "public", "open.csv")
    assert job.records.codes.tolist() == session.records().codes.tolist()
    assert job.plan == session.settings.plan()
    next(each for each in page.file_uploader if "public" in each.label).upload(
        "few.csv", b"\n".join(csv.splitlines()[:100])
    )
    page.run()
    page.checkbox(key="explore-public-1").set_value(True).run()
    page.button(key="explore-take-public").click().run()
    assert "99 records, which is too few" in page.error[0].value
    assert len(jobs) == 1
