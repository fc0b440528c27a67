"""What ε does: how far the release can move what somebody believes about one person."""

from __future__ import annotations

from typing import Final

import pandas as pd
import streamlit as st

from understudy.charts.belief import (
    belief_change,
    belief_change_table,
    spelled_at_least,
    spelled_at_most,
)
from understudy.privacy import wording
from understudy.privacy.budget import Budget, Neighbours
from understudy.privacy.strength import DEPLOYMENTS, About, belief
from understudy_dashboard import words
from understudy_dashboard.parts.controls import fill_widget
from understudy_dashboard.parts.pictures import draw_picture
from understudy_dashboard.session import Session

PRIORS: Final = (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
_ABOUT: Final[dict[About, str]] = {
    "presence": "is in this table at all",
    "value": "is in it, and the table says a certain thing of them",
}


def draw_belief_change(
    session: Session, total: Budget, neighbours: Neighbours = Neighbours.TABLES
) -> None:
    """Draw a belief to pick, what may become of it, and the same for every belief."""
    replaced = neighbours is Neighbours.REPLACEMENTS
    _ask_belief(session, replaced=replaced)
    prior, about = session.prior, "replaced" if replaced else session.about
    st.markdown(describe_belief(total, prior, about))
    draw_picture(
        belief_change(total, prior, about),
        belief_change_table(total, about),
        key="belief",
        alt="The most and the least that a belief about one person may become",
        confidential=False,
    )
    st.caption(
        "This compares what a reader believes before and after, whatever else they know. What is "
        "true of people in general, such as that smoking harms, they may learn all the same: it "
        "would be in the table without any one person."
    )


def describe_belief(total: Budget, prior: float, about: About) -> str:
    """Return what may become of a belief, in two sentences."""
    if not total.bounded:
        return "Nothing is promised, so **anything may become of a belief**, certainty included."
    found = belief(prior, total, about)
    before = words.percent(prior)
    if found.at_most > 1 - 1e-12 and found.at_least < 1e-12:
        return f"A belief of {before} **may become all but certainty**, one way or the other."
    text = (
        f"A belief of {before} becomes **at most {spelled_at_most(found.at_most)}**, and at least "
        f"{spelled_at_least(found.at_least)}."
    )
    return text + wording.chance_sentence(found)


def _ask_belief(session: Session, *, replaced: bool) -> None:
    """Ask how sure somebody is, and of what."""
    prior, about = st.columns([2, 3], gap="medium")
    fill_widget("belief-prior", min(PRIORS, key=lambda each: abs(each - session.prior)))
    prior.select_slider(
        "Somebody holds it to be this likely",
        PRIORS,
        format_func=words.percent,
        key="belief-prior",
        on_change=_take_prior,
        args=(session, "prior", "belief-prior"),
        help="How sure they are before they read the release, from whatever they know besides.",
    )
    if replaced:
        about.markdown(
            "that the table says a certain thing of a certain person, who is in it. This does not "
            "hide who is in it."
        )
        return
    fill_widget("belief-about", session.about)
    about.radio(
        "that a certain person …",
        list(_ABOUT),
        format_func=_ABOUT.__getitem__,
        key="belief-about",
        on_change=_take_prior,
        args=(session, "about", "belief-about"),
        help="Two tables that say different things of one person are two steps apart, as the table "
        "without the person lies between them. So the second question counts ε twice.",
    )


def _take_prior(session: Session, name: str, key: str) -> None:
    setattr(session, name, st.session_state[key])


def draw_published(total: Budget, neighbours: Neighbours = Neighbours.TABLES) -> None:
    """Draw what others published for releases of their own."""
    st.markdown(
        "Figures that others published. **They do not rank.** An ε means something only "
        "together with *what is protected* and *what it covers*, and no two of these protect or "
        "cover the same. A day of one person’s clicks at ε = 1 adds up to a great deal in a year; "
        "a table released once at ε = 10 does not."
    )
    rows = [_row_of_ours(total), *(_row_of(place) for place in range(len(DEPLOYMENTS)))]
    st.table(pd.DataFrame(rows).set_index("Release"), border="horizontal")
    here = "Here, and in" if neighbours is Neighbours.TABLES else "In"
    ours = "" if neighbours is Neighbours.TABLES else ", as here"
    st.caption(
        f"{here} most of these, two tables are neighbours when one has one person more. In "
        f"the Census figures one person’s answers are exchanged{ours}, which is two such steps."
    )


def _row_of_ours(total: Budget) -> dict[str, str]:
    return {
        "Release": "**This plan**",
        "ε": f"**{words.epsilon(total.epsilon)}**" if total.bounded else "**no promise**",
        "δ": f"**{_join_lines(words.delta(total.delta))}**" if total.bounded else "",
        "What is protected": "**all that one person has in the table**",
        "What it covers": "**this whole release; further runs add up**",
        "Source": "",
    }


def _row_of(place: int) -> dict[str, str]:
    each = DEPLOYMENTS[place]
    return {
        "Release": f"{each.name} ({each.year})",
        "ε": f"{each.epsilon:g}",
        "δ": "not given" if each.delta is None else _join_lines(words.delta(each.delta or 0.0)),
        "What is protected": each.unit,
        "What it covers": each.covers,
        "Source": f"[{each.source}]({each.address})",
    }


def _join_lines(number: str) -> str:
    """Return a number that no line breaks at its minus sign."""
    return number.replace("-", "\N{NON-BREAKING HYPHEN}")
