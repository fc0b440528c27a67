"""What Inspect shows of the hidden numbers of a run. Internal."""

from __future__ import annotations

from typing import Final

import streamlit as st

from understudy.charts.density import FEWEST, density, density_map, most_of
from understudy.mechanisms.latent.charts.hidden import carried_bars, carried_in_words, carried_table
from understudy.mechanisms.latent.looking import HiddenNumbers, hidden_numbers, reconstructed
from understudy.models.latent.small_space import Reconstruction
from understudy_dashboard.methods.looked import Looked
from understudy_dashboard.parts.evaluation import titles_of
from understudy_dashboard.parts.inspect.evidence import from_evidence
from understudy_dashboard.parts.inspect.reconstructed import SHOWN, beside_what_is_kept
from understudy_dashboard.parts.pictures import picture

_REAL, _MADE = "Real records", "Made records"
_CARRIES: Final = (
    "The model knows a column through a few hidden numbers and keeps what of it they carry. The "
    "rest is drawn for each column by itself: a column that little is carried of keeps its share "
    "of ones, and its relations to other columns are lost. 100 is all of it."
)
_BESIDE: Final = (
    "Each record has a place by its first two hidden numbers, as its columns tell them. Left are "
    "real records, right as many made ones; what is not alike was not kept. A square with fewer "
    f"than {FEWEST} records is blank. Both are for your eyes."
)


def carried(looked: Looked) -> None:
    """What of each column the hidden numbers carry."""
    found = _found(looked)
    if found is None:
        return
    titles = list(titles_of(looked.schema).values())
    st.markdown(carried_in_words(titles, found.carried))
    st.caption(_CARRIES)
    picture(
        carried_bars(titles, found.carried),
        carried_table(titles, found.carried),
        key="carried",
        alt="How much of each column the hidden numbers carry, of 100",
    )


def records_on_a_map(looked: Looked) -> None:
    """Real and made records by their first two hidden numbers, side by side."""
    found = _found(looked)
    if found is None:
        return
    if not found.whole:
        st.info("Fewer than two hidden numbers carry anything here, so there is no map of records.")
        return
    st.caption(_BESIDE)
    sides = {_REAL: density(found.real), _MADE: density(found.made)}
    most = max(map(most_of, sides.values()))
    for place, (name, squares) in zip(st.columns(2), sides.items(), strict=True):
        with place:
            st.markdown(f"**{name}**")
            picture(
                density_map(squares, most),
                squares,
                key=f"hidden-{name}",
                alt=f"{name} by their first two hidden numbers, in squares",
            )


def what_is_kept(looked: Looked) -> None:
    """A few real records beside what their hidden numbers keep of them."""
    found: Reconstruction | None = from_evidence(
        looked, "kept of records", lambda evidence: reconstructed(evidence, SHOWN)
    )
    if found is not None:
        beside_what_is_kept(looked, found)


def _found(looked: Looked) -> HiddenNumbers | None:
    """Return what the run shows; None, and a word, where the table it was made from is not open."""
    found: HiddenNumbers | None = from_evidence(looked, "hidden numbers", hidden_numbers)
    return found
