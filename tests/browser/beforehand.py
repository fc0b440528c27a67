"""Projects with a finished run, made by the engine, for journeys about what comes after it."""

from __future__ import annotations

from pathlib import Path

from tests.dashboard.builders import answer_all
from tests.support import few_people
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.runs.control import start, wait
from understudy.runs.work import Job
from understudy_dashboard.ledger_status import dataset_of
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.methods.seedbased.planner import Draft
from understudy_dashboard.open_project import save_decisions, take_table
from understudy_dashboard.parts.table_sources import open_sample
from understudy_dashboard.session import Session


def sample_released(folder: Path) -> None:
    """In the home folder, a project of the sample census with the release that is first offered.

    Args:
        folder: an empty folder.
    """
    session = Session()
    with few_people(folder):
        open_sample(session)
        _released(session)


def table_released(table: LoadedTable) -> None:
    """In the home folder, a project of a table of people never seen before, with what is suggested
    confirmed, and a seedless release of ε = 1."""
    session = Session()
    take_table(session, table)
    assert session.settings.schema is not None
    schema = session.settings.schema.declare_public()
    session.describe(schema)
    plan = Plan.of(schema, omega=Omega(low=len(schema), high=len(schema)), attempts=1_000)
    plan_choice(session).use(Draft.of_plan(plan))
    answer_all(session, 1_000)
    _released(session)


def _released(session: Session) -> None:
    assert session.project is not None
    job = Job(session.records(), session.settings.plan())
    run = start(job, session.project.runs, dataset=dataset_of(session))
    assert wait(run).state == "finished"
    save_decisions(session)
