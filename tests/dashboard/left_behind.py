"""Runs as a worker would have left them, and what a plan needs to be started."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

from understudy.ledger.ledger import Debit
from understudy.runs.control import home_ledger, list_runs
from understudy.runs.debit import make_debit
from understudy.runs.folder import RunFolder
from understudy.runs.watched import Progress
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.session import Session
from understudy_dashboard.spending import dataset_of


def agree(page: AppTest) -> AppTest:
    """The page, its sentence confirmed."""
    next(each for each in page.checkbox if "I have read" in each.label).check()
    return page.run()


def left_behind(session: Session, progress: Progress, *, stained: bool = False) -> RunFolder:
    """A run folder as a worker would have left it, without the work."""
    place = session.runs_at
    folder = RunFolder(place / f"2026010{len(list_runs(place))}T000000-release-aa")
    folder.path.mkdir(parents=True)
    plan = session.settings.plan()
    folder.write_text("plan.json", plan.to_json())
    assert session.settings.schema is not None
    folder.write_text("schema.json", session.settings.schema.to_json())
    about = {"at": "2026-01-01T00:00:00+00:00", "purpose": "release", "stained": stained}
    folder.write_text("run.json", json.dumps(about))
    folder.report(progress)
    what = make_debit(session.settings.planned_run(), stained=stained)
    found = dataset_of(session)
    assert found is not None
    home_ledger().debit(Debit(folder.identity, found, what))
    return folder


def small(session: Session) -> Session:
    """A plan that costs little, without seeds."""
    plan_choice(session).draft.omega_low = plan_choice(session).draft.omega_high = 3
    plan_choice(session).draft.model_epsilon, plan_choice(session).draft.delta = 0.4, 1e-6
    return session
