"""Whether released rows keep the rules and have the known totals, counted on the released file, and
what could be a rule."""

from __future__ import annotations

from functools import partial

import streamlit as st

from understudy.table.authoring.unseen_pairs import UnseenPair, find_unseen_pairs
from understudy.table.known_totals import KnownTotals, TotalCheck, compare_totals
from understudy.table.records import Records
from understudy.table.rules.rule import Rule
from understudy.table.rules.rule_check import check_rule
from understudy_dashboard import words
from understudy_dashboard.frame import draw_link
from understudy_dashboard.methods.page import RunInspection
from understudy_dashboard.parts.inspect.distances import load_real_records, load_released_records
from understudy_dashboard.parts.rule_form import say_rule


def draw_rules_kept(looked: RunInspection) -> None:
    """Draw how many released rows break each rule, and pairs of values that no record has."""
    released = load_released_records(looked.session, looked.run, looked.schema)
    if released is None:
        st.info("No record was released, so there is nothing to check.")
        return
    _draw_broken(looked, released)
    _draw_unseen(looked, released)


def _draw_broken(looked: RunInspection, released: Records) -> None:
    schema = looked.decided.schema
    if not schema.declared_rules:
        st.markdown("No rule is declared, so that nothing is checked.")
        return
    if schema.rules:
        _draw_kept(looked, released)
    if schema.set_aside:
        _draw_set_aside(looked, released)


def _draw_kept(looked: RunInspection, released: Records) -> None:
    schema = looked.decided.schema
    st.markdown(
        f"**{words.count(len(schema.rules), 'rule')}, counted on the released file as it is "
        f"written**, {words.count(len(released), 'row')}."
    )
    for rule in schema.rules:
        broken, line = _describe_broken(looked, released, rule)
        if broken:
            st.error(line, icon=":material/error:")
        else:
            st.markdown(f":material/check: {line}")


def _draw_set_aside(looked: RunInspection, released: Records) -> None:
    aside = looked.decided.schema.set_aside
    lines = (f"- {_describe_broken(looked, released, rule)[1]}" for rule in aside)
    st.warning(
        f"**{words.count(len(aside), 'rule')} set aside for this release**, "
        f"{words.count(len(released), 'row')}.\n\n" + "\n".join(lines),
        icon=":material/rule:",
    )


def _describe_broken(looked: RunInspection, released: Records, rule: Rule) -> tuple[int, str]:
    """Return how many released rows break a rule, and the same in words."""
    broken: int = looked.session.cache.keep(
        f"released rule {rule.text}",
        looked.run.identity,
        partial(_count_broken, released, rule),
    )
    said = say_rule(rule, looked.decided.schema.file_columns)
    return broken, f"{said} **{words.count(broken, 'row')}** break it."


def _count_broken(released: Records, rule: Rule) -> int:
    return check_rule(released.restore(), rule).broken


def _draw_unseen(looked: RunInspection, released: Records) -> None:
    """Draw the pairs of values that only the release has together."""
    real = load_real_records(looked.session, looked.decided)
    if real is None:
        st.caption(
            "Open the confidential table to see which values the release has together and the "
            "table never does."
        )
        return
    found: tuple[UnseenPair, ...] = looked.session.cache.keep(
        "unseen pairs", (looked.run.identity, id(real)), lambda: find_unseen_pairs(real, released)
    )
    st.markdown("**Is a rule missing?**")
    if not found:
        st.markdown("The release has no common values together that the table never has.")
        return
    st.markdown(
        "The release has these values together, and no record of the table does though both are "
        "common in it. If everybody knows that one cannot be, declare it as a rule; if it is only "
        "rare, it is right as it is."
    )
    st.dataframe(
        {
            "Column": [each.columns[0] for each in found],
            "holds": [each.values[0] for each in found],
            "and column": [each.columns[1] for each in found],
            "holds ": [each.values[1] for each in found],
            "Released rows": [each.released for each in found],
        },
        hide_index=True,
    )
    draw_link("data", "Declare a rule on the Data page", ":material/arrow_back:")


def draw_totals_hit(looked: RunInspection) -> None:
    """Draw known totals beside what was released."""
    released = load_released_records(looked.session, looked.run, looked.schema)
    if released is None:
        st.info("No record was released, so there is nothing to check.")
        return
    for place, totals in enumerate(looked.decided.schema.totals):
        st.markdown(words.escape(totals.sentence))
        checks: tuple[TotalCheck, ...] = looked.session.cache.keep(
            f"released totals {place}",
            looked.run.identity,
            partial(_compare, totals, released),
        )
        missed = sum(not each.hit for each in checks)
        exact = totals.total == len(released)
        if missed:
            st.error(
                f"{words.count(missed, 'total')} of {len(checks):,} missed.",
                icon=":material/error:",
            )
        else:
            how = "exactly" if exact else "in proportion, each rounded up or down to a whole row"
            st.markdown(f":material/check: All {len(checks):,} are hit {how}.")
        shown: dict[str, list[str] | list[int] | list[float]] = {
            "Rows with": [each.cell for each in checks],
            "Declared": [each.declared for each in checks],
            "Released": [each.released for each in checks],
        }
        if not exact:
            shown["In proportion"] = [each.wanted for each in checks]
        st.dataframe(shown, hide_index=True)


def _compare(totals: KnownTotals, released: Records) -> tuple[TotalCheck, ...]:
    return compare_totals(totals, released.schema.columns, list(released.codes.T))
