"""The pages of scored candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from understudy.core import numerals
from understudy.mechanisms.plan import PUBLIC_RECORDS, MechanismPlan
from understudy.mechanisms.scored.looking import has_map
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy_dashboard.methods.choosing import Chosen, Filled
from understudy_dashboard.methods.looked import Looked, Tabs
from understudy_dashboard.methods.page import MethodPage
from understudy_dashboard.methods.scored import inspecting
from understudy_dashboard.methods.scored.choosing import among_some
from understudy_dashboard.parts.privacy.form import Extra
from understudy_dashboard.session import Session


class ScoredPage(MethodPage):
    """As `MethodPage`."""

    serves: str = (
        "Single rows from a model of your own: each is released only where many real records could "
        "as well have made it."
    )
    asked: Sequence[str] = ("attempts",)
    empty: str = (
        "The table came out empty: no candidate had enough plausible seeds. More noise in the "
        "proposer, fewer directions or a smaller k would let some through."
    )

    def extras(self, session: Session, chosen: Chosen) -> Mapping[str, Extra]:
        """Return the number of records is asked here where it is that of some of them."""
        assert isinstance(chosen, Filled)
        return {PUBLIC_RECORDS: Extra()} if among_some(chosen) else {}

    def counted(self, plan: MechanismPlan) -> str:
        """Attempts."""
        assert isinstance(plan, ScoredPlan)
        return numerals.count(plan.attempts, "attempt")

    def tabs(self, looked: Looked, usual: Tabs) -> Tabs:
        """Return the usual ones, and a map of seeds where candidates are disturbed in a small
        space."""
        if not has_map(looked.decided.plan_as(ScoredPlan)):
            return usual
        own: Tabs = {
            "Small space": {
                "A map of seeds": lambda: inspecting.map_of_seeds(looked),
                "Records and what is kept": lambda: inspecting.what_is_kept(looked),
            }
        }
        before = {name: parts for name, parts in usual.items() if name != "Compare"}
        after = {name: parts for name, parts in usual.items() if name == "Compare"}
        return {**before, **own, **after}


PAGE: Final = ScoredPage()
