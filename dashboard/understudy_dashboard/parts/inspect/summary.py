"""What a run kept and lost: in three sentences, on one scale, and beside what was foreseen.
Internal."""

from __future__ import annotations

import math
from typing import Any, Final

import pandas as pd
import streamlit as st

from understudy.charts.excess import Kind, excess_chart, excess_table
from understudy.charts.forest import direction, read_whole, references, value_text
from understudy.charts.kept import chart_kept, kept_table
from understudy.charts.relative_score import MeasureStanding, standings, standings_table
from understudy.evaluation.excess import stakes_found
from understudy.evaluation.fitness import fitness
from understudy.evaluation.measure import (
    BEST,
    RELEASED,
    WORST,
    About,
    Finding,
    SubjectResult,
    reference,
)
from understudy.evaluation.registry import HEADINGS
from understudy.evaluation.relative_score import Aspect, has_references, kept_in_words, standing
from understudy.mechanisms.expected_utility import foreseen_of_measured
from understudy_dashboard import words
from understudy_dashboard.methods.page import RunInspection
from understudy_dashboard.parts.evaluation import FoundEvaluation, list_titles
from understudy_dashboard.parts.inspect.distances import find_excess
from understudy_dashboard.parts.panel import draw_fitness
from understudy_dashboard.parts.pictures import draw_picture

_TOO_FEW = "Too few records were released, or held out, to measure what was kept."
_YET = (
    "Whether models learn from it as from real records, and whether its records can be told from "
    "real ones, is not measured yet."
)
_SHOWS_NOTHING = (
    "These two cannot be told apart, so this column shows nothing: choose another one under "
    "“Measure again”."
)


def tell_story(
    aspects: tuple[Aspect, ...], passing: str, target: str, lost: str
) -> tuple[str, ...]:
    """Return at most three sentences, in plain words.

    Args:
        aspects: what is known of the release.
        passing: the sentence on how many candidates pass; "" for none.
        target: what the column is called that was predicted.
        lost: what to say where no relations were kept, as the end of a sentence.
    """
    by = {each.what: each for each in aspects}
    if not by:
        return (_TOO_FEW, passing) if passing else (_TOO_FEW,)
    measured = {"prediction", "telling"} & set(by)
    said = [_tell_relations(by.get("pairs"), lost)]
    if measured:
        said += [
            _tell_prediction(by.get("prediction"), target),
            _tell_recognition(by.get("telling")),
        ]
    else:
        said += [passing, _YET]
    return tuple(each for each in said if each)


def draw_story(sentences: tuple[str, ...], aspects: tuple[Aspect, ...]) -> None:
    """Draw the sentences, and the chart under them."""
    for sentence in sentences:
        st.markdown(sentence)
    draw_picture(
        chart_kept(aspects),
        kept_table(aspects),
        key="story",
        alt="How much of what real records have was kept",
    )


def _tell_relations(pairs: Aspect | None, lost: str) -> str:
    if pairs is None:
        return ""
    said = (
        "In a typical pair of columns, released records differ from held-out ones by "
        f"**{_format_measured(pairs, pairs.released)}**"
    )
    against = []
    if pairs.real is not None:
        against.append(f"as many other real records by {_format_measured(pairs, pairs.real)}")
    if pairs.marginals is not None:
        ignoring = "a table that ignores all relations between columns by"
        against.append(f"{ignoring} {_format_measured(pairs, pairs.marginals)}")
    if not against:
        return f"{said}."
    if pairs.marginals is None:
        return f"{said}; {against[0]}."
    return f"{said}; {' and '.join(against)}, {_judge(pairs, lost)}"


def _judge(pairs: Aspect, lost: str) -> str:
    """Return how much was kept of what there is between the references."""
    if pairs.real is None or pairs.marginals is None:
        return "but there are too few records for both references, so more cannot be said."
    if pairs.placed is None:
        return "so close to each other that there is little to keep or lose."
    share = pairs.placed.value
    return lost if share <= 0 else f"so {kept_in_words(share)} of the relations survived."


def _tell_prediction(found: Aspect | None, target: str) -> str:
    if found is None or found.real is None or found.marginals is None:
        return ""
    said = (
        "A forest of decision trees trained on the released table predicts "
        f"“{words.escape(target)}” right for **{_format_measured(found, found.released)}** of "
        f"records "
        "it has "
        f"not seen; trained on other real records, {_format_measured(found, found.real)}; on a "
        f"table "
        "without "
        f"relations, {_format_measured(found, found.marginals)}."
    )
    return said if found.placed is not None else f"{said} {_SHOWS_NOTHING}"


def _tell_recognition(found: Aspect | None) -> str:
    if found is None or found.real is None or found.marginals is None:
        return ""
    released, real, marginals = (
        _format_right(each) for each in (found.released, found.real, found.marginals)
    )
    return (
        f"Shown released and real records mixed half and half, such a forest says which is which "
        f"in **{released} of 100** cases, where a coin would get 50; other real records it tells "
        f"apart in {real}, a table without relations in {marginals}."
    )


def _format_right(found: SubjectResult) -> str:
    """Return right answers in a hundred, of an advantage over a coin."""
    return f"{50 + 50 * found.value:.0f}" if math.isfinite(found.value) else "–"


def _format_measured(aspect: Aspect, found: SubjectResult) -> str:
    return value_text(aspect.about, found.value, found.interval)


_MOST: Final = 15
"""The most rows of a chart; its table has all of them."""

_NOTHING: Final = (
    "There are too few records, released or held out, to say what the table is fit for."
)


def draw_fit(looked: RunInspection) -> None:
    """Draw what the released table is fit for, and what it is not."""
    excess = find_excess(looked)
    if excess is not None:
        draw_fitness(fitness(stakes_found(excess), list(list_titles(looked.schema).values())))


def draw_foreseen(looked: RunInspection) -> None:
    """Draw how much further off than other real records every column and pair is, the worst first,
    and which pairs were foreseen to be counted."""
    after = find_excess(looked)
    if after is None:
        st.info(_NOTHING)
        return
    ahead = foreseen_of_measured(looked.decided)
    titles = list(list_titles(looked.schema).values())
    st.caption(
        "Two samples of real records differ too, by chance. Only what the table is further off "
        "than other real records counts here: in so many more records in a hundred can a "
        "statement be wrong. "
        + (
            "Which pairs are counted was foreseen from public numbers, were all tied as usual; "
            "those that are tied more strongly go before."
            if ahead is not None
            else "Nothing was foreseen of this run."
        )
    )
    kinds: tuple[Kind, ...] = ("columns", "pairs")
    for kind in kinds:
        draw_picture(
            excess_chart(after, titles, kind, _MOST),
            excess_table(after, ahead, titles, kind),
            key=f"excess-{kind}",
            alt=f"How much further off than other real records {kind} are",
        )


_ALIKE: Final = (
    "The two ends cannot be told apart by it here, so there is no scale between them; the numbers "
    "stand below."
)
_ALONE: Final = "There is too little real, or to compare with, at the ends of the scale."
_TROUBLE: Final = "It could not be measured; its tab says why."

_WIDTHS: Final = (255, 165, 135, 110, 135)


def draw_measures(found: FoundEvaluation) -> None:
    """Draw all headline measures on one scale, and their numbers."""
    on_scale, off = scale_values(found)
    worst, best = references(each.name for each in found.evaluation.tables)
    st.caption(
        f"Measures on one scale: 0 % is what {worst} {_WHAT[found.of_days]} and the "
        f"worst that is acceptable; 100 % is what {best} score, the best that can be expected. "
        "Whiskers show the uncertainty of the release; that of the two references is ignored."
    )
    st.caption(found.tables)
    draw_picture(
        standings(on_scale),
        standings_table(on_scale),
        key="standings",
        alt=f"Where each table stands between {worst} and {best}, by measure",
    )
    for sentence in off:
        st.caption(sentence)
    st.markdown("**The numbers**")
    numbers = numbers_table(found)
    st.dataframe(
        numbers,
        hide_index=True,
        height="content",
        column_config=_list_widths(list(numbers.columns)),
        alt=f"Every measure: released, {best}, {worst}",
    )
    for sentence in found.evaluation.remarks:
        st.caption(words.escape(sentence))


_WHAT: Final = {
    False: "score, a table without any relation between columns",
    True: "scores, days of people who know nothing but the map,",
}
"""What the worst is, of records and of days."""


def _list_widths(names: list[str]) -> dict[str, Any]:
    return {
        name: st.column_config.Column(width=width)
        for name, width in zip(names, _WIDTHS, strict=True)
    }


def scale_values(found: FoundEvaluation) -> tuple[list[MeasureStanding], list[str]]:
    """Return the headline measures on the scale, and sentences about those that are not."""
    on_scale = []
    off: dict[str, list[str]] = {why: [] for why in (_ALIKE, _ALONE, _TROUBLE)}
    tables = {each.name for each in found.evaluation.tables}
    for about, finding in found.headlines:
        if about.group not in HEADINGS:
            continue
        placed = standing(about, finding)
        if placed is None:
            off[_explain_scale(finding)].append(about.name)
            continue
        kept = {name: each for name, each in placed.items() if name in tables}
        heading = HEADINGS[about.group]
        on_scale.append(MeasureStanding(heading, about, finding.by_subject, kept))
    return on_scale, [f"Left out: {', '.join(names)}. {why}" for why, names in off.items() if names]


def _explain_scale(finding: Finding) -> str:
    if finding.trouble:
        return _TROUBLE
    return _ALIKE if has_references(finding) else _ALONE


def numbers_table(found: FoundEvaluation) -> pd.DataFrame:
    """Return each headline measure with both references, and which way is better."""
    best, worst = _head_columns(found.of_days)
    rows = [
        _list_numbers(*each, best, worst) for each in found.headlines if has_references(each[1])
    ]
    columns = ["Measure", "Released", best, worst, "Which way is better"]
    return pd.DataFrame(rows, columns=columns)


def _head_columns(of_days: bool) -> tuple[str, str]:
    """Return how the columns of both references are headed."""
    if of_days:
        return "Other real people", "Uniform model"
    return "Other real records", "Marginals"


def _list_numbers(about: About, finding: Finding, best: str, worst: str) -> dict[str, str]:
    by = finding.by_subject
    return {
        "Measure": about.name,
        "Released": read_whole(about, by.get(RELEASED)),
        best: read_whole(about, _drop_interval(reference(by, BEST))),
        worst: read_whole(about, _drop_interval(reference(by, WORST))),
        "Which way is better": direction(about),
    }


def _drop_interval(found: SubjectResult | None) -> SubjectResult | None:
    """Return a value without its interval."""
    return None if found is None else SubjectResult(found.value)
