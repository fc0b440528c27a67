"""What attacks on the table found out about seeds: findings, and no guarantee."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd
import streamlit as st

from dashboard import words
from dashboard.parts.pictures import picture
from engine.charts.measured import measured, measured_table, rows_of
from engine.charts.readings import reach, read, read_whole
from engine.evaluation.evaluation import Evaluation
from engine.evaluation.finding import Finding, Measured
from engine.evaluation.matches import CONTROL, SEEDS
from engine.evaluation.measure import About
from engine.evaluation.measures import attribute_inference
from engine.evaluation.registry import abouts
from engine.evaluation.study import MARGINALS, REALS, RELEASED

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

_HOW = (
    "Each attack is tried on seeds, the real records that candidates were made from, and on as "
    "many held-out records that had no part in the table. Where a plan keeps nothing of a seed, "
    "the records that its model was learned from stand in for the seeds here. What is true of both "
    "is what the table teaches about people at large. Only what is true of seeds and not of the "
    "others is a leak."
)


def disclosure_tab(evaluation: Evaluation | None, titles: Mapping[str, str]) -> None:
    """The tab.

    Args:
        evaluation: what was measured of the run; None where nothing was yet.
        titles: what a reader calls each column, by its name.
    """
    st.info(NO_GUARANTEE, icon=":material/policy:")
    findings = {} if evaluation is None else _findings(evaluation)
    if evaluation is None or not findings:
        st.markdown("No attack has been tried on this run yet. “Measure everything” tries them.")
        return
    for sentence in sentences(findings):
        st.markdown(sentence)
    st.caption(_HOW)
    st.dataframe(
        every_attack(findings),
        hide_index=True,
        height="content",
        column_config={
            name: st.column_config.Column(width=width) for name, width in _COLUMNS.items()
        },
        alt=_ALT,
    )
    target = titles.get(evaluation.target, evaluation.target)
    _one(findings, target)


_COLUMNS: Final = {
    "Measure": 180,
    "Released": 170,
    "Of seeds": 75,
    "Of held-out": 90,
    "Other real records": 125,
    "Marginals": 85,
    "No leak": 75,
}
"""How wide each is: all of them together fit a small screen."""

_ALT = "One row for each attack: how it did on the released table, and on others"


def _findings(evaluation: Evaluation) -> dict[str, Finding]:
    known = ((key, evaluation.finding(key)) for key in ABOUTS)
    return {key: finding for key, finding in known if finding is not None}


def sentences(findings: Mapping[str, Finding]) -> tuple[str, ...]:
    """Which attacks found something on the released table, and which did not."""
    released = {
        key: finding.by_subject[RELEASED]
        for key, finding in findings.items()
        if RELEASED in finding.by_subject
    }
    if not released:
        return ("The released table has too few records to try these attacks on.",)
    told = [ABOUTS[key].name for key, found in released.items() if stands_out(ABOUTS[key], found)]
    if not told:
        return (
            "**No attack told seeds from people who had no part in the table**, beyond what chance "
            "does.",
        )
    quiet = len(released) - len(told)
    rest = f" The other {quiet} found nothing beyond chance." if quiet else ""
    return (
        f"**Seeds stand out**, a little or a lot, in {words.count(len(told), 'measure')}: "
        f"{', '.join(told)}.{rest} Keeping columns of a seed does that: the guarantee says how "
        "much a single record can be made out, not that seeds leave no trace.",
    )


def stands_out(about: About, found: Measured) -> bool:
    """Whether the whole interval is on the side where seeds are given away."""
    assert about.ideal is not None
    return found.interval is not None and found.interval.low > about.ideal


def every_attack(findings: Mapping[str, Finding]) -> pd.DataFrame:
    """One row for each attack: what it found of seeds and of the control, and on other tables."""
    rows = []
    for key, finding in findings.items():
        about, by = ABOUTS[key], finding.by_subject
        released = by.get(RELEASED)
        parts = {} if released is None else {part.of[0]: part.value for part in released.parts}
        rows.append(
            {
                "Measure": about.name,
                "Released": finding.trouble or read_whole(about, released),
                "Of seeds": _read(about, parts.get(SEEDS)),
                "Of held-out": _read(about, parts.get(CONTROL)),
                "Other real records": _read(about, _value(by.get(REALS))),
                "Marginals": _read(about, _value(by.get(MARGINALS))),
                "No leak": read(about, about.ideal or 0.0),
            }
        )
    return pd.DataFrame(rows)


def parts_table(about: About, finding: Finding) -> pd.DataFrame:
    """One row for each table and entry of the breakdown."""
    rows = [
        {
            "Table": name,
            about.parts.capitalize(): part.of[0],
            about.name: read_whole(about, Measured(part.value, part.interval)),
        }
        for name, found in finding.by_subject.items()
        for part in found.parts
    ]
    return pd.DataFrame(rows)


def _one(findings: Mapping[str, Finding], target: str) -> None:
    key = st.selectbox(
        "Measure", list(findings), format_func=lambda each: ABOUTS[each].name, key="disclosure-of"
    )
    about, finding = ABOUTS[key or next(iter(findings))], findings[key or next(iter(findings))]
    st.caption(
        words.plain(about.sentence),
        help=f"Values go {reach(about)}. Without a leak: {_ideal(about)}.",
    )
    if about.key == attribute_inference.MEASURE.about.key:
        st.caption(f"The hidden column: {words.plain(target)}.")
    if finding.trouble:
        st.info(words.plain(finding.trouble), icon=":material/info:")
        return
    rows = rows_of(about, finding.by_subject)
    picture(
        measured(about, rows),
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


def _ideal(about: About) -> str:
    return read(about, about.ideal or 0.0)


def _value(found: Measured | None) -> float | None:
    return None if found is None else found.value


def _read(about: About, value: float | None) -> str:
    return "" if value is None else read(about, value)
