"""What Inspect shows of the small space that candidates are disturbed in. Internal."""

from __future__ import annotations

from typing import Final

import streamlit as st

from understudy.charts.density import FEWEST, density, density_map, most_of
from understudy.mechanisms.scored.looking import LatentMap, latent_map, reconstructed
from understudy.models.latent.small_space import Reconstruction
from understudy.privacy.randomness import RandomSource
from understudy_dashboard.methods.looked import Looked
from understudy_dashboard.parts.inspect.evidence import from_evidence
from understudy_dashboard.parts.inspect.reconstructed import SHOWN, beside_what_is_kept
from understudy_dashboard.parts.pictures import picture

_ANOTHER, _TURN = "another-candidate", "candidates-shown"
_ABOUT: Final = (
    "Each real record that became a seed has a place by its first two directions. The diamond "
    "is a candidate that was made for this picture alone: a seed’s place, moved by the noise of "
    "the plan. The ring holds the seeds that are likeliest to have made it, as many as the test "
    f"asks for. Squares of fewer than {FEWEST} records are blank, so that nobody is picked out."
)


def map_of_seeds(looked: Looked) -> None:
    """Seeds by their first two directions, with a candidate and a ring of its plausible seeds."""
    found = _found(looked)
    if found is None:
        return
    st.markdown(in_words(found))
    st.caption(_ABOUT)
    squares = density(found.seeds)
    picture(
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
    st.button("Show another candidate", key=_ANOTHER, icon=":material/casino:", on_click=_another)


def in_words(found: LatentMap) -> str:
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


def _another() -> None:
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1


def what_is_kept(looked: Looked) -> None:
    """A few real records beside what their places keep of them."""
    found: Reconstruction | None = from_evidence(
        looked, "kept of seeds", lambda evidence: reconstructed(evidence, SHOWN)
    )
    if found is not None:
        beside_what_is_kept(looked, found)


def _found(looked: Looked) -> LatentMap | None:
    """Return the map of the run; None, and a word, where the table it was made from is not open."""
    found: LatentMap | None = from_evidence(
        looked,
        "latent map",
        lambda evidence: latent_map(evidence, RandomSource.secure()),
        turn=st.session_state.get(_TURN, 0),
    )
    return found
