"""What a run kept and lost, in three sentences and one chart. Internal."""

from __future__ import annotations

import math

import streamlit as st

from understudy.charts.kept import kept, kept_table
from understudy.charts.readings import value_text
from understudy.evaluation.measure import Measured
from understudy.evaluation.relative_score import Aspect, kept_in_words
from understudy_dashboard import words
from understudy_dashboard.parts.pictures import picture

_TOO_FEW = "Too few records were released, or held out, to measure what was kept."
_YET = (
    "Whether models learn from it as from real records, and whether its records can be told from "
    "real ones, is not measured yet."
)
_SHOWS_NOTHING = (
    "These two cannot be told apart, so this column shows nothing: choose another one under "
    "“Measure again”."
)


def story(aspects: tuple[Aspect, ...], passing: str, target: str, lost: str) -> tuple[str, ...]:
    """At most three sentences, in plain words.

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
    said = [_relations(by.get("pairs"), lost)]
    if measured:
        said += [_predicting(by.get("prediction"), target), _telling(by.get("telling"))]
    else:
        said += [passing, _YET]
    return tuple(each for each in said if each)


def draw(sentences: tuple[str, ...], aspects: tuple[Aspect, ...]) -> None:
    """The sentences, and the chart under them."""
    for sentence in sentences:
        st.markdown(sentence)
    picture(
        kept(aspects),
        kept_table(aspects),
        key="story",
        alt="How much of what real records have was kept",
    )


def _relations(pairs: Aspect | None, lost: str) -> str:
    if pairs is None:
        return ""
    said = (
        "In a typical pair of columns, released records differ from held-out ones by "
        f"**{_value(pairs, pairs.released)}**"
    )
    against = []
    if pairs.real is not None:
        against.append(f"as many other real records by {_value(pairs, pairs.real)}")
    if pairs.marginals is not None:
        ignoring = "a table that ignores all relations between columns by"
        against.append(f"{ignoring} {_value(pairs, pairs.marginals)}")
    if not against:
        return f"{said}."
    if pairs.marginals is None:
        return f"{said}; {against[0]}."
    return f"{said}; {' and '.join(against)}, {_verdict(pairs, lost)}"


def _verdict(pairs: Aspect, lost: str) -> str:
    """Return how much was kept of what there is between the references."""
    if pairs.real is None or pairs.marginals is None:
        return "but there are too few records for both references, so more cannot be said."
    if pairs.placed is None:
        return "so close to each other that there is little to keep or lose."
    share = pairs.placed.value
    return lost if share <= 0 else f"so {kept_in_words(share)} of the relations survived."


def _predicting(found: Aspect | None, target: str) -> str:
    if found is None or found.real is None or found.marginals is None:
        return ""
    said = (
        "A forest of decision trees trained on the released table predicts "
        f"“{words.plain(target)}” right for **{_value(found, found.released)}** of records it has "
        f"not seen; trained on other real records, {_value(found, found.real)}; on a table without "
        f"relations, {_value(found, found.marginals)}."
    )
    return said if found.placed is not None else f"{said} {_SHOWS_NOTHING}"


def _telling(found: Aspect | None) -> str:
    if found is None or found.real is None or found.marginals is None:
        return ""
    released, real, marginals = (
        _right(each) for each in (found.released, found.real, found.marginals)
    )
    return (
        f"Shown released and real records mixed half and half, such a forest says which is which "
        f"in **{released} of 100** cases, where a coin would get 50; other real records it tells "
        f"apart in {real}, a table without relations in {marginals}."
    )


def _right(found: Measured) -> str:
    """Right answers in a hundred, of an advantage over a coin."""
    return f"{50 + 50 * found.value:.0f}" if math.isfinite(found.value) else "–"


def _value(aspect: Aspect, found: Measured) -> str:
    return value_text(aspect.about, found.value, found.interval)
