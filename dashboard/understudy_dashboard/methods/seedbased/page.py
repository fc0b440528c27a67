"""The pages of seedbased synthesis: progress, Inspect, slides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, get_args

import numpy as np
import streamlit as st

from understudy.charts.network import dependency_graph, dependency_graph_table
from understudy.charts.pass_rate import pass_rate_curves, pass_rate_curves_table
from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.seedbased.charts.bounds import (
    bounds_against_t,
    bounds_table,
    low_scores,
    low_scores_table,
    triangle,
    triangle_table,
)
from understudy.mechanisms.seedbased.evaluation.bounds import (
    BoundPlace,
    DeniabilityBounds,
    list_bounds,
    place,
)
from understudy.mechanisms.seedbased.evaluation.figures import RunFigures
from understudy.mechanisms.seedbased.fields.candidate_fields import TESTS
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.foresight import related_in
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.privacy.plausibility.privacy_test import USUAL_GAMMA, TestKind, privacy_test
from understudy.runs.folder import RunFolder
from understudy.runs.work_folder import Progress
from understudy.table.column import Column
from understudy_dashboard import slides, words
from understudy_dashboard.frame import mark_internal
from understudy_dashboard.ledger_status import read_progress
from understudy_dashboard.methods.page import MethodPage, RunInspection, Tabs, draw_pace
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.methods.seedbased.pass_rate import describe_pass_rate, find_score_sample
from understudy_dashboard.methods.seedbased.priorities import draw_marks
from understudy_dashboard.methods.seedbased.privacy import MANY, draw_privacy
from understudy_dashboard.methods.seedbased.utility import draw_bucket_effect
from understudy_dashboard.methods.seedbased.words import WORDS, describe_weights
from understudy_dashboard.parts.controls import list_field_stops
from understudy_dashboard.parts.evaluation import ask_evaluation
from understudy_dashboard.parts.inspect.groups import draw_group
from understudy_dashboard.parts.pictures import draw_picture
from understudy_dashboard.parts.plan_decision import open_detail
from understudy_dashboard.session import Session
from understudy_dashboard.slides import SlideDrawing


def _draw_making(decided: PlannedRun[Plan]) -> tuple[SlideDrawing, ...]:
    """Draw from the model alone where no attempt looks at a seed, and else from seeds."""
    plan, columns = decided.plan, len(decided.schema)
    if decided.guarantee.account_as(Promise).seeds is None:
        return _draw_from_model(plan, columns)
    return _draw_from_seeds(plan, columns)


def _draw_from_model(plan: Plan, columns: int) -> tuple[SlideDrawing, ...]:
    return (
        slides.draw_noisy_counts(
            "Records are **counted**, "
            + (
                "without noise, to compare."
                if plan.model.epsilon is None
                else "and random noise is added to every count, which blurs what one record adds."
            )
        ),
        slides.draw_record(
            columns,
            0,
            f"From these counts alone, **every record is made up**: all {columns} columns, one "
            "after another.",
        ),
        slides.draw_table(
            "Nothing is copied from a real record. **Making more records shows nothing more.**"
        ),
    )


def _draw_from_seeds(plan: Plan, columns: int) -> tuple[SlideDrawing, ...]:
    kept_columns = columns - plan.omega.high
    range_ = "" if plan.omega.is_fixed else f" to {columns - plan.omega.low}"
    return (
        slides.draw_record(
            columns,
            kept_columns,
            f"A real record is drawn. **{kept_columns}{range_} of {columns} columns are kept**, "
            "and the others are made up by a model learned "
            f"{'without' if plan.model.epsilon is None else 'with'} noise.",
        ),
        slides.draw_crowd(
            f"It is released only if **about {plan.test.k:,} real records** could have made it "
            f"as easily. {'Noise blurs' if plan.test.epsilon0 else 'No noise blurs'} that number.",
        ),
        slides.draw_gate(
            f"{_describe_attempts(plan)} What fails is **never seen** by anybody.",
        ),
    )


def _describe_attempts(plan: Plan) -> str:
    if plan.protocol == "releases":
        return f"This goes on until {words.count(plan.attempts, 'record')} have passed."
    return f"This is tried {plan.attempts:,} times."


_LITTLE, _MUCH = 0.02, 0.2

_OF = {
    "lemma": "from how few candidates score low (Lemma 5.2 of the dissertation)",
    "scores": "from how few candidates score low",
    "rejections": "as no more candidates than that are turned down",
    "layers": "from how few candidates score low, at every score at once",
}


def draw_bounds(figures: RunFigures, plan: Plan, made: Promise) -> None:
    """Draw the tab: what the test can have changed, and what privacy asks for that.

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
    found = list_bounds(sample, plan.test, made.pass_cap)
    for sentence in describe_bounds(found):
        st.markdown(sentence)
    draw_picture(
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
    _draw_scores(found, plan)
    _draw_triangle(place(found, plan.test, plan.omega.per_attempt, made.seeds.attempt.epsilon))


def describe_bounds(found: DeniabilityBounds) -> tuple[str, ...]:
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
        _describe_verdict(found),
        "This is about the test alone. What the model makes of the real records, and loses of "
        "them, is in the other tabs.",
    )


def _describe_verdict(found: DeniabilityBounds) -> str:
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


def _draw_scores(found: DeniabilityBounds, plan: Plan) -> None:
    with st.expander("How many candidates score low"):
        st.markdown(
            "A candidate’s score says how many records could have made it. Here it is the lowest "
            "for any record that could: the test may let a candidate pass from one seed and not "
            "from another. The fewer candidates score low, the less the test can change."
        )
        draw_picture(
            low_scores(found, plan.test.k),
            low_scores_table(found),
            key="low-scores",
            alt="The share of candidates that score less than t, for each t, with a band",
        )


def _draw_triangle(here: BoundPlace) -> None:
    with st.expander("Privacy, change, and how much one record matters"):
        for sentence in describe_triangle(here):
            st.markdown(sentence)
        draw_picture(
            triangle(here),
            triangle_table(here),
            key="triangle",
            alt="The smallest ε for each γ, a curve for each influence of one record; and this run",
        )


def describe_triangle(here: BoundPlace) -> tuple[str, ...]:
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


def draw_pass_rates(figures: RunFigures, plan: Plan, made: Promise) -> None:
    """Draw how many candidates pass at any k, by either test."""
    ks = sorted({*list_field_stops(FIELDS["k"]), plan.test.k})
    kinds: list[TestKind] = list(get_args(TestKind))
    kind = st.radio(
        FIELDS["test"].words.title,
        kinds,
        index=kinds.index(plan.test.kind),
        format_func=TESTS.__getitem__,
        key="inspect-test",
        horizontal=True,
        help=FIELDS["test"].words.help,
    )
    k = st.select_slider(
        FIELDS["k"].words.title,
        ks,
        value=plan.test.k,
        key="inspect-k",
        help=FIELDS["k"].words.help,
        format_func=lambda stop: f"{stop:,}",
    )
    gamma = getattr(plan.test, "gamma", USUAL_GAMMA) if kind == "plausible-deniability" else None
    test = privacy_test(kind, int(k), plan.test.epsilon0, gamma)
    places = np.array(ks, dtype=np.int64)
    curves = {
        words.print_range(f"ω = {each.omega}"): each.curve(test, places, made.pass_cap)
        for each in figures.samples
    }
    st.caption(
        f"Of all candidates, so many pass at k = {int(k):,}. ω is how many columns are drawn "
        f"afresh from the model; this plan has ω = {FIELDS['omega'].show(plan.omega)}."
    )
    rates = st.columns(max(1, len(figures.samples)))
    for column, each in zip(rates, figures.samples, strict=False):
        rate = each.pass_rate(test, made.pass_cap)
        column.metric(words.print_range(f"ω = {each.omega}"), words.percent(rate))
    draw_picture(
        pass_rate_curves(places, curves, int(k)),
        pass_rate_curves_table(places, curves),
        key="passing",
        alt="The share of attempts that pass, for each k, one line for each ω",
    )
    st.caption(
        "Nothing is generated again: the scores of a sample of candidates were kept. "
        + words.TUNING
    )


def draw_dependencies(figures: RunFigures, plan: Plan, titles: Sequence[str]) -> None:
    """Draw which column depends on which in the model."""
    kept = (len(titles) - plan.omega.high, len(titles) - plan.omega.low)
    st.caption(
        "An arrow leads from a column to one that the model draws with its help. What is drawn "
        "afresh comes after what is copied, so that it can follow it."
        + plan.model.about.pictured
        + describe_weights(figures.effective)
    )
    draw_picture(
        dependency_graph(titles, figures.parents, figures.order, kept),
        dependency_graph_table(titles, figures.parents, figures.order, kept),
        key="graph",
        alt="Which column depends on which",
    )


_MODELS: Final = (
    "How well the model says each column from the others will be shown here, beside one learned "
    "without noise."
)


class SeedbasedPage(MethodPage):
    """What pages draw of plans of seedbased synthesis."""

    empty = (
        "No candidate passed, so the table is empty. A smaller k, a larger ω or more "
        "attempts let more pass; each further run is a further spend."
    )

    def privacy(self, session: Session) -> None:
        """Draw the planner, and every setting by hand."""
        draw_privacy(session)

    def many_plans(self) -> None:
        """Draw the plans; see `MethodPage`."""
        open_detail(MANY)

    def buckets(self, session: Session, column: Column) -> None:
        """Draw how many counts there are, and the noise on each."""
        super().buckets(session, column)
        draw_bucket_effect(session, column)

    def marking(self, session: Session) -> None:
        """Draw a target, columns, pairs and triples that get budget first."""
        draw_marks(session)

    def count_related(self, session: Session, choices: Sequence[Column]) -> tuple[int, ...] | None:
        """Return what the plan in use could count; None where the settings make no plan."""
        assert session.settings.schema is not None
        try:
            plan, made = plan_choice(session).plan(), plan_choice(session).promise()
        except Refusal:
            return None
        known = plan_choice(session).wish.records_at_least
        return related_in(plan, session.settings.schema, made, choices, known)

    def describe_steps(self, plan: MechanismPlan) -> str:
        """Return attempts, records or rows."""
        return WORDS.describe_plan(plan)

    def hides_pace(self, plan: MechanismPlan) -> bool:
        """Return whether the pace would tell how many attempts were needed."""
        return isinstance(plan, Plan) and plan.protocol == "releases"

    def pace(self, plan: MechanismPlan, progress: Progress) -> None:
        """Draw attempts, and how many passed."""
        assert isinstance(plan, Plan)
        if self.hides_pace(plan):
            with mark_internal("pace", "How long a run takes tells how many attempts it needs."):
                draw_pace("Records", progress)
            return
        if plan.shares.seeds == 0:
            draw_pace("Rows", progress)
            return
        draw_pace("Attempts", progress)
        with mark_internal("passed", "Until the run has finished."):
            st.markdown(f"{words.count(progress.passed, 'candidate')} passed so far.")

    def tabs(self, looked: RunInspection[Plan], usual: Tabs) -> Tabs:
        """Return the usual tabs with those of the model, after the distances, and of the privacy
        test."""
        figures = _load_figures(looked)
        if figures is None:
            return usual
        plan, made = looked.decided.plan, looked.decided.guarantee.account_as(Promise)
        titles = [each.title or each.name for each in looked.decided.compared.columns]
        models = {
            "Accuracy by column": lambda: _draw_accuracy(looked),
            "Dependencies": lambda: draw_dependencies(figures, plan, titles),
        }
        test = {
            "Pass rate": lambda: draw_pass_rates(figures, plan, made),
            "Bounds": lambda: draw_bounds(figures, plan, made),
        }
        found = {}
        for name, parts in usual.items():
            if name == "Compare" and made.seeds is not None:
                found["Privacy test"] = test
            found[name] = dict(parts)
            if name == "Distances":
                found["Models"] = models
        return found

    def summarise_run(self, looked: RunInspection[Plan]) -> str:
        """Return how many candidates pass."""
        figures = _load_figures(looked)
        if figures is None:
            return ""
        decided = looked.decided
        made = decided.guarantee.account_as(Promise)
        return describe_pass_rate(figures, decided.plan, made)

    def totals(self, run: RunFolder, decided: PlannedRun[Plan]) -> Mapping[str, str]:
        """Return how many attempts were made, and how many passed."""
        plan, made = decided.plan, decided.guarantee.account_as(Promise)
        progress = read_progress(run)
        if made.seeds is None:
            return {
                "Planned": words.count(plan.attempts, "row"),
                "Rows made": "not known" if progress is None else f"{progress.done:,}",
            }
        with run.intact():
            figures = RunFigures.load(run.internal)
        sample = None if figures is None else find_score_sample(figures, plan)
        rate = None if sample is None else sample.pass_rate(plan.test, made.pass_cap)
        return {
            "Attempts made": "not known" if progress is None else f"{progress.done:,}",
            "Candidates passed": "not known" if progress is None else f"{progress.passed:,}",
            "Share expected to pass": "not known" if rate is None else words.percent(rate),
        }

    def making(self, decided: PlannedRun[Plan]) -> tuple[SlideDrawing, ...]:
        """Return how records are made: from the model alone, or from seeds."""
        return _draw_making(decided)


PAGE: Final = SeedbasedPage()


def _load_figures(looked: RunInspection[Plan]) -> RunFigures | None:
    """Return all that the run measured as it ended."""

    def load() -> RunFigures | None:
        with looked.run.intact():
            return RunFigures.load(looked.run.internal)

    figures: RunFigures | None = looked.session.cache.keep("figures", looked.run.identity, load)
    return figures


def _draw_accuracy(looked: RunInspection[Plan]) -> None:
    if looked.found is None:
        ask_evaluation(looked.session, looked.run, looked.schema, _MODELS)
    else:
        draw_group(looked.found, "models")
