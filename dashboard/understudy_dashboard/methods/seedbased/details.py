"""What the decision rests on, one level down: nothing of it is drawn before it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy_dashboard.frame import Fields
from understudy_dashboard.methods.seedbased.accounting import charts, promised, promises
from understudy_dashboard.methods.seedbased.by_hand import by_hand
from understudy_dashboard.methods.seedbased.explore import explore
from understudy_dashboard.methods.seedbased.model_choice import each_column
from understudy_dashboard.methods.seedbased.testing import tested
from understudy_dashboard.parts.privacy.details import BY_HAND, MEANING, TOTAL
from understudy_dashboard.session import Session

COLUMNS: Final = "Each column and each pair"
TEST: Final = "What passes the test"
MANY: Final = "Many plans at once"


def details(
    session: Session,
    plan: Plan | None,
    made: Promise | None,
    fields: Fields,
    start: Plan | None = None,
) -> dict[str, Callable[[], object]]:
    """Return what there is to look into, by title; of a plan without seeds nothing about seeds.

    Args:
        session: the page's state.
        plan, made: the plan in use, and what it promises; None where there is none.
        fields: shows a refusal beside a setting.
        start: what many plans are tried around where none is in use.
    """
    found: dict[str, Callable[[], object]] = {}
    if plan is not None and made is not None:
        found[MEANING] = lambda: promises(session, made)
        found[TOTAL] = lambda: _total(session, plan, made)
        found[COLUMNS] = lambda: each_column(session, plan, made)
        if made.seeds is not None:
            found[TEST] = lambda: tested(session, plan, made)
        tested_plan = plan if made.seeds is not None else None
        found[MANY] = lambda: explore(session, plan, tested_plan)
    elif start is not None:
        found[MANY] = lambda: explore(session, None, start)
    found[BY_HAND] = lambda: by_hand(session, plan, made, fields)
    return found


def _total(session: Session, plan: Plan, made: Promise) -> None:
    promised(plan, made)
    if made.seeds is not None:
        charts(session, plan, made.seeds)
