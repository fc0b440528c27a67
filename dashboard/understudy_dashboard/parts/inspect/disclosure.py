"""What attacks on the table found out about the records it was made from: findings, and no
guarantee.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd
import streamlit as st

from understudy.charts.forest import read_whole, value_range, value_text
from understudy.charts.measures import chart_measures, measured_table, subject_rows
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import (
    BEST,
    RELEASED,
    UNIFORM,
    WORST,
    About,
    Finding,
    SubjectResult,
    reference,
)
from understudy.evaluation.measures import inference
from understudy.evaluation.measures.copies import CONTROL, SEEDS
from understudy.evaluation.mobility.measures import disclosure as people
from understudy.evaluation.registry import abouts
from understudy_dashboard import words
from understudy_dashboard.parts.pictures import draw_picture

ABOUTS: Final[Mapping[str, About]] = {
    key: about for key, about in abouts().items() if about.group == "disclosure"
}
"""What each of them says of itself, in the order they are shown in."""

NO_GUARANTEE: Final = (
    "**These are findings, not a guarantee.** They say how far a few known attacks got with this "
    "one table. A cleverer attack, or somebody who knows more, may get further, and nothing "
    "found proves nothing. What protects every record, against any attack, is the ε and δ of the "
    "plan."
)

_OF_SEEDS: Final = (SEEDS, people.MEMBERS)
_OF_CONTROL: Final = (CONTROL, people.CONTROL)

_HOW = (
    "Each attack is tried on records used, the real ones that the table was made from, and on as "
    "many held-out records that had no part in it. What is true of both is what the table teaches "
    "about people at large. Only what is true of the records used and not of the others is a leak."
)


_HOW_OF_DAYS = (
    "Each attack is tried on people who were counted, and on as many who were held out and had no "
    "part in the table. What is true of both is what the table teaches about people at large. Only "
    "what is true of those who were counted and not of the others is a leak. “Other real people” "
    "are of those who were counted: they show what these attacks find where days are published as "
    "they are."
)


def _is_of_days(evaluation: Evaluation) -> bool:
    return any(each.name == UNIFORM for each in evaluation.tables)


def draw_disclosure(evaluation: Evaluation | None, titles: Mapping[str, str]) -> None:
    """Draw what attacks tell of the records used.

    Args:
        evaluation: what was measured of the run; None where nothing was yet.
        titles: what a reader calls each column, by its name.
    """
    st.info(NO_GUARANTEE, icon=":material/policy:")
    findings = {} if evaluation is None else _find_attacks(evaluation)
    if evaluation is None or not findings:
        st.markdown("No attack has been tried on this run yet. “Measure everything” tries them.")
        return
    of_days = _is_of_days(evaluation)
    for sentence in list_sentences(findings, of_days=of_days):
        st.markdown(sentence)
    st.caption(_HOW_OF_DAYS if of_days else _HOW)
    attacks = tabulate_attacks(findings, of_days=of_days)
    st.dataframe(
        attacks,
        hide_index=True,
        height="content",
        column_config={
            name: st.column_config.Column(width=width)
            for name, width in zip(attacks.columns, _WIDTHS, strict=True)
        },
        alt=_ALT,
    )
    target = titles.get(evaluation.target, evaluation.target)
    _draw_attack(findings, target)


_WIDTHS: Final = (172, 178, 76, 86, 128, 82, 62)
"""How wide each column is: all of them together fit a small screen."""

_ALT = "One row for each attack: how it did on the released table, and on others"


def _find_attacks(evaluation: Evaluation) -> dict[str, Finding]:
    known = ((key, evaluation.finding(key)) for key in ABOUTS)
    return {key: finding for key, finding in known if finding is not None}


def list_sentences(findings: Mapping[str, Finding], *, of_days: bool = False) -> tuple[str, ...]:
    """Return which attacks found something on the released table, and which did not."""
    used = "people who were counted" if of_days else "records used"
    one = "person" if of_days else "record"
    released = {
        key: finding.by_subject[RELEASED]
        for key, finding in findings.items()
        if RELEASED in finding.by_subject
    }
    if not released:
        return ("The released table has too few records to try these attacks on.",)
    told = [
        ABOUTS[key].name for key, found in released.items() if is_above_control(ABOUTS[key], found)
    ]
    if not told:
        return (
            f"**No attack told {used} from those that had no part in the table**, beyond what "
            "chance does.",
        )
    quiet = len(released) - len(told)
    rest = f" The other {quiet} found nothing beyond chance." if quiet else ""
    return (
        f"**{used.capitalize()} stand out**, a little or a lot, in "
        f"{words.count(len(told), 'measure')}: {', '.join(told)}.{rest} In one measure of twenty "
        f"chance alone does that; the guarantee says how much a single {one} can be made out.",
    )


def is_above_control(about: About, found: SubjectResult) -> bool:
    """Return True if the whole interval is on the side where records used are given away."""
    assert about.ideal is not None
    return found.interval is not None and found.interval.low > about.ideal


def tabulate_attacks(findings: Mapping[str, Finding], *, of_days: bool = False) -> pd.DataFrame:
    """Return one row for each attack: what it found of the records used, or of people who were
    counted, and of the control, and on other tables."""
    rows = []
    heads = _OF_DAYS if of_days else _OF_RECORDS
    for key, finding in findings.items():
        about, by = ABOUTS[key], finding.by_subject
        released = by.get(RELEASED)
        parts = {} if released is None else {part.of[0]: part.value for part in released.parts}
        rows.append(
            {
                "Measure": about.name,
                "Released": finding.trouble or read_whole(about, released),
                heads[0]: _format_finding(about, reference(parts, _OF_SEEDS)),
                "Of held-out": _format_finding(about, reference(parts, _OF_CONTROL)),
                heads[1]: _format_finding(about, _find_value(reference(by, BEST))),
                heads[2]: _format_finding(about, _find_value(reference(by, WORST))),
                "No leak": value_text(about, about.ideal or 0.0),
            }
        )
    return pd.DataFrame(rows)


_OF_RECORDS: Final = ("Of records used", "Other real records", "Marginals")
_OF_DAYS: Final = ("Of counted", "Other real people", "Uniform model")


def parts_table(about: About, finding: Finding) -> pd.DataFrame:
    """Return one row for each table and entry of the breakdown."""
    rows = [
        {
            "Table": name,
            about.parts.capitalize(): part.of[0],
            about.name: read_whole(about, SubjectResult(part.value, part.interval)),
        }
        for name, found in finding.by_subject.items()
        for part in found.parts
    ]
    return pd.DataFrame(rows)


def _draw_attack(findings: Mapping[str, Finding], target: str) -> None:
    key = st.selectbox(
        "Measure", list(findings), format_func=lambda each: ABOUTS[each].name, key="disclosure-of"
    )
    about, finding = ABOUTS[key or next(iter(findings))], findings[key or next(iter(findings))]
    st.caption(
        words.escape(about.sentence),
        help=f"Values go {value_range(about)}. Without a leak: {_describe_ideal(about)}.",
    )
    if about.key == inference.ATTRIBUTE.about.key:
        st.caption(f"The hidden column: {words.escape(target)}.")
    if finding.trouble:
        st.info(words.escape(finding.trouble), icon=":material/info:")
        return
    rows = subject_rows(about, finding.by_subject)
    draw_picture(
        chart_measures(about, rows),
        measured_table(about, rows),
        key=f"disclosure-{about.key}",
        alt=f"{about.name}, one row for each table",
    )
    with st.expander("What it comes from"):
        st.dataframe(
            parts_table(about, finding),
            hide_index=True,
            height="content",
            alt=f"{about.name}: what is behind it, one row for each table",
        )


def _describe_ideal(about: About) -> str:
    return value_text(about, about.ideal or 0.0)


def _find_value(found: SubjectResult | None) -> float | None:
    return None if found is None else found.value


def _format_finding(about: About, value: float | None) -> str:
    return "" if value is None else value_text(about, value)
