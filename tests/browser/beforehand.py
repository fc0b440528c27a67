"""Projects with a finished run, made by the engine, for journeys about what comes after it."""

from __future__ import annotations

from pathlib import Path

from dashboard.methods.seedbased.draft import Draft
from dashboard.methods.seedbased.own import own
from dashboard.opened import Table
from dashboard.parts.opening import open_sample
from dashboard.recognising import take
from dashboard.session import Session
from dashboard.spending import dataset
from dashboard.syncing import save
from engine.mechanisms.seedbased.plan import Plan
from engine.models.omega import Omega
from engine.runs.control import start, wait
from engine.runs.work import Job
from tests.dashboard.spoken_for import answer_all
from tests.few_people import few_people


def sample_released(folder: Path) -> None:
    """In the home folder, a project of the sample census with the release that is first offered.

    Args:
        folder: an empty folder.
    """
    session = Session()
    with few_people(folder):
        open_sample(session)
        _released(session)


def table_released(table: Table) -> None:
    """In the home folder, a project of a table of people never seen before, with what is suggested
    confirmed, and a seedless release of ε = 1."""
    session = Session()
    take(session, table)
    assert session.schema is not None
    schema = session.schema.declare_public()
    session.describe(schema)
    plan = Plan.of(schema, omega=Omega(low=len(schema), high=len(schema)), attempts=1_000)
    own(session).use(Draft.of(plan))
    answer_all(session, 1_000)
    _released(session)


def _released(session: Session) -> None:
    assert session.project is not None
    job = Job(session.records(), session.plan())
    run = start(job, session.project.runs, dataset=dataset(session))
    assert wait(run).state == "finished"
    save(session)
