"""How much the privacy test can have changed the table, at most: sentences and three charts."""

from __future__ import annotations

import streamlit as st

from understudy.mechanisms.seedbased.charts.bounds import (
    bounds_against_t,
    bounds_table,
    low_scores,
    low_scores_table,
)
from understudy.mechanisms.seedbased.charts.triangle import triangle, triangle_table
from understudy.mechanisms.seedbased.evaluation.bounds import Bounds, bounds
from understudy.mechanisms.seedbased.evaluation.figures import Figures
from understudy.mechanisms.seedbased.evaluation.triangle import Place, place
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy_dashboard import words
from understudy_dashboard.parts.pictures import picture

_LITTLE, _MUCH = 0.02, 0.2

_OF = {
    "lemma": "from how few candidates score low (Lemma 5.2 of the dissertation)",
    "scores": "from how few candidates score low",
    "rejections": "as no more candidates than that are turned down",
    "layers": "from how few candidates score low, at every score at once",
}


def bounds_tab(figures: Figures, plan: Plan, made: Promise) -> None:
    """The tab: what the test can have changed, and what privacy asks for that.

    Args:
        figures: of the run.
        plan: of the run, whose candidates are tested.
        made: what the plan promises.
    """
    assert made.seeds is not None
    sample = next((each for each in figures.samples if each.is_of(plan.omega)), None)
    if sample is None or not len(sample):
        st.info("No candidates of this plan were scored, so there is nothing to tell from.")
        return
    found = bounds(sample, plan.test, made.pass_cap)
    for sentence in sentences(found):
        st.markdown(sentence)
    picture(
        bounds_against_t(found, plan.test.k),
        bounds_table(found),
        key="bounds",
        alt="Bounds on how far the privacy test can change the table, by the score they rest on",
    )
    st.caption(
        "A candidate’s score, t, says how many records could have made it. Every curve but the "
        "estimate is a limit that the change cannot pass; the lowest counts. “Lemma 5.2” is "
        "that of the dissertation. "
        f"From the scores of {words.count(found.candidates, 'candidate')}, made for this only. "
        "Each bound counts what the sample leaves open, and all of them hold together in 95 of "
        "100 such samples. “Estimate” is what this sample shows, without that margin."
    )
    _scores(found, plan)
    _triangle(place(found, plan.test, plan.omega.per_attempt, made.seeds.attempt.epsilon))


def sentences(found: Bounds) -> tuple[str, ...]:
    """Return what the bounds come to, for somebody who has never met them."""
    most, about = words.percent(found.best.value), words.percent(found.distance)
    return (
        "The privacy test turns candidates down, and not at random: those that too few records "
        "could have made. What is released is therefore a little different from what was "
        "proposed: rare kinds of records become rarer.",
        f"**That has changed the table by at most {most}**, {_OF[found.best.kind]}; about {about} "
        "is likely. It means: take anything that can be said of a record, such as “over 60 and "
        "married”. Among released records it is true of a share that differs from the share "
        f"among all candidates by no more than {most.removesuffix('%').strip()} percentage points.",
        _verdict(found),
        "This is about the test alone. What the model makes of the real records, and loses of "
        "them, is in the other tabs.",
    )


def _verdict(found: Bounds) -> str:
    if found.best.value <= _LITTLE:
        return "The test costs next to nothing here: what the table lost, it lost to the model."
    if found.best.value < _MUCH:
        return "A smaller k, or fewer columns kept, lets more candidates pass and changes less."
    if found.distance < found.best.value / 2:
        return (
            "That is a wide margin, and the sample suggests much less. Read it as “not shown to "
            "be small”, not as “large”."
        )
    return (
        "That is a lot. With a smaller k, or fewer columns kept, more candidates pass and less "
        "changes; a smaller k costs a larger ε."
    )


def _scores(found: Bounds, plan: Plan) -> None:
    with st.expander("How many candidates score low"):
        st.markdown(
            "A candidate’s score says how many records could have made it. Here it is the lowest "
            "for any record that could: the test may let a candidate pass from one seed and not "
            "from another. The fewer candidates score low, the less the test can change."
        )
        picture(
            low_scores(found, plan.test.k),
            low_scores_table(found),
            key="low-scores",
            alt="The share of candidates that score less than t, for each t, with a band",
        )


def _triangle(here: Place) -> None:
    with st.expander("Privacy, change, and how much one record matters"):
        for sentence in triangle_sentences(here):
            st.markdown(sentence)
        picture(
            triangle(here),
            triangle_table(here),
            key="triangle",
            alt="The smallest ε for each γ, a curve for each influence of one record; and this run",
        )


def triangle_sentences(here: Place) -> tuple[str, ...]:
    """Return what the triangle is, and where the run stands in it."""
    change = (
        f"by at most a factor of {here.alpha:.3g}"
        if here.alpha < 1e6
        else "by a factor that this sample does not bound"
    )
    return (
        "Three things hang together, and no method can have all of them small. **Influence**: by "
        "how much the chance of a candidate changes when one record leaves the table. "
        "**Change**: by how much the test changes that chance. **Privacy**: by how much a reader "
        "may notice that the record left, which is ε. If a candidate owes much to one record, "
        "somebody has to hide that: either ε is large, or the test changes much.",
        f"Of the candidates at least {words.percent(here.share)} have a score of {here.t:,} or "
        f"more. Leaving out one record changes the chance of such a candidate by at most "
        f"{words.percent(here.eta - 1)}; the test changes it {change}, which is γ = "
        f"{here.gamma:.2g}; and one attempt costs ε = {words.epsilon(here.epsilon)}.",
        "No method can lie below a curve. This run lies above its own; the distance is what its "
        "noise, and a proof that holds for every table, cost beyond what nobody can avoid. The "
        "test comes so near by turning down candidates that owe much to one record: for those, "
        "the curves further up would count.",
    )
