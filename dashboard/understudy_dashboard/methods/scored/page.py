"""The pages of scored candidates, and the small space that they are disturbed in on Inspect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import streamlit as st

from understudy.charts.pair_shares import FEWEST, density_map, most_of, plane_density
from understudy.core import numerals
from understudy.mechanisms.plan import PUBLIC_RECORDS, MechanismPlan
from understudy.mechanisms.scored.inspection import (
    LatentMap,
    has_map,
    latent_map,
    reconstruct_records,
)
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.models.latent.small_space import Reconstruction
from understudy.privacy.randomness import RandomSource
from understudy_dashboard.methods.method_settings import FormSettings, MethodSettings
from understudy_dashboard.methods.page import MethodPage, RunInspection, Tabs
from understudy_dashboard.methods.scored.method_settings import uses_some_records
from understudy_dashboard.parts.form import Extra
from understudy_dashboard.parts.inspect.evidence import SHOWN, draw_beside_kept, load_from_evidence
from understudy_dashboard.parts.pictures import draw_picture
from understudy_dashboard.session import Session

_ANOTHER, _TURN = "another-candidate", "candidates-shown"
_ABOUT: Final = (
    "Each real record that became a seed has a place by its first two directions. The diamond "
    "is a candidate that was made for this picture alone: a seed’s place, moved by the noise of "
    "the plan. The ring holds the seeds that are likeliest to have made it, as many as the test "
    f"asks for. Squares of fewer than {FEWEST} records are blank, so that nobody is picked out."
)


def draw_seed_map(looked: RunInspection[ScoredPlan]) -> None:
    """Draw seeds by their first two directions, with a candidate and a ring of its plausible
    seeds."""
    found = _find_map(looked)
    if found is None:
        return
    st.markdown(describe_map(found))
    st.caption(_ABOUT)
    squares = plane_density(found.seeds)
    draw_picture(
        density_map(
            squares,
            most_of(squares),
            ("First direction", "Second direction"),
            (found.candidate, found.near),
        ),
        squares,
        key="latent-map",
        alt="Seeds by their first two directions, with a candidate and its plausible seeds",
    )
    st.button(
        "Show another candidate", key=_ANOTHER, icon=":material/casino:", on_click=_show_another
    )


def describe_map(found: LatentMap) -> str:
    """Return what the test makes of the candidate."""
    of = "" if found.whole else ", of those on the map,"
    said = f"The test counts **{found.score:,}** plausible seeds{of} and asks for k = {found.k:,}"
    if found.passes:
        return f"{said}, give or take its noise: such a candidate is usually released."
    return (
        f"{said}: none of the candidates that were tried has enough. Most attempts of this plan "
        "release nothing. More noise on a coordinate, fewer directions or a smaller k would let "
        "more through."
    )


def _show_another() -> None:
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1


def _draw_reconstruction(looked: RunInspection[ScoredPlan]) -> None:
    """Draw a few real records beside what their places keep of them."""
    found: Reconstruction | None = load_from_evidence(
        looked, "kept of seeds", lambda evidence: reconstruct_records(evidence, SHOWN)
    )
    if found is not None:
        draw_beside_kept(looked, found)


def _find_map(looked: RunInspection[ScoredPlan]) -> LatentMap | None:
    """Return the map of the run; None, after saying why, where its table is not open."""
    found: LatentMap | None = load_from_evidence(
        looked,
        "latent map",
        lambda evidence: latent_map(evidence, RandomSource.secure()),
        turn=st.session_state.get(_TURN, 0),
    )
    return found


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

    def extras(self, session: Session, chosen: MethodSettings) -> Mapping[str, Extra]:
        """Ask for the number of records here, if it is that of some of them."""
        assert isinstance(chosen, FormSettings)
        return {PUBLIC_RECORDS: Extra()} if uses_some_records(chosen) else {}

    def describe_steps(self, plan: MechanismPlan) -> str:
        """Return the number of attempts."""
        assert isinstance(plan, ScoredPlan)
        return numerals.count(plan.attempts, "attempt")

    def tabs(self, looked: RunInspection[ScoredPlan], usual: Tabs) -> Tabs:
        """Return the usual ones, and a map of seeds where candidates are disturbed in a small
        space."""
        if not has_map(looked.decided.plan):
            return usual
        own: Tabs = {
            "Small space": {
                "A map of seeds": lambda: draw_seed_map(looked),
                "Records and what is kept": lambda: _draw_reconstruction(looked),
            }
        }
        before = {name: parts for name, parts in usual.items() if name != "Compare"}
        after = {name: parts for name, parts in usual.items() if name == "Compare"}
        return {**before, **own, **after}


PAGE: Final = ScoredPage()
