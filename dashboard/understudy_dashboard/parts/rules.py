"""Rules that everyone knows: the list, how the open table keeps each, and what could be one."""

from __future__ import annotations

from functools import partial
from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.authoring.rule_patterns import RuleDraft
from understudy.table.authoring.rule_suggestions import KINDS, RuleSuggestion
from understudy.table.column import KNOWN, ORIGINS, Origin
from understudy.table.records import spell_column
from understudy.table.rules.rule import Rule
from understudy.table.rules.rule_check import RuleCheck
from understudy.table.rules.sentences import word_policy, word_source
from understudy_dashboard import words
from understudy_dashboard.demo import is_demonstration
from understudy_dashboard.frame import draw_link, mark_internal, show_refusal
from understudy_dashboard.parts.recodings import draw_order
from understudy_dashboard.parts.rule_file import draw_rule_file
from understudy_dashboard.parts.rule_form import begin_rule, draw_rule_form, keep_rule, say_rule
from understudy_dashboard.session import Session

_LEAD: Final = (
    "What no record can be, whoever is in the data: nobody is discharged before admission, nobody "
    "under 16 is married. Released rows keep every rule. Rules cost no budget, as they stand on "
    "your word that everybody knows them: take them from a law, a form or the design of the data, "
    "and not from the table."
)


def draw_rules(session: Session) -> None:
    """Draw the rules of the schema, the form of the one that is being written, and suggestions."""
    schema = session.settings.require_schema()
    if schema.reading is not None and schema.reading.positions is not None:
        return
    st.subheader("Rules that everyone knows", anchor=False)
    st.markdown(_LEAD)
    # In a container each, so that what stands below stays the same fold as rules come and go.
    with st.container():
        for place, rule in enumerate(schema.rules):
            _draw_rule(session, place, rule)
    with st.container():
        _draw_contradiction(session)
    with st.container():
        _draw_adding(session)
    _draw_suggestions(session)


def _draw_adding(session: Session) -> None:
    """Draw the ways to a further rule, or the form of the one that is being written."""
    if session.rule_draft is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Add a rule",
                icon=":material/add:",
                key="rule-add",
                on_click=begin_rule,
                args=(session,),
            )
            if not is_demonstration():
                draw_rule_file(session)
    else:
        draw_rule_form(session)


def draw_rules_in_words(session: Session) -> None:
    """Say which rules every released row will keep, and that nothing is paid for them."""
    schema = session.settings.require_schema()
    if not schema.rules:
        return
    number = words.count(len(schema.rules), "rule")
    with st.expander(f"Released rows keep {number} that everyone knows: nothing is paid for them"):
        st.markdown(
            "\n".join(f"- {say_rule(rule, schema.file_columns)}" for rule in schema.rules)
            + "\n\nThey stand on your word that everybody knows them, which the guarantee says."
        )
        draw_link("data", "Change them on Data", icon=None)


def _draw_rule(session: Session, place: int, rule: Rule) -> None:
    columns = session.settings.require_schema().file_columns
    with st.container(border=True, key=f"rule-{place}"):
        said, change, remove = st.columns([8, 1, 1], vertical_alignment="center")
        said.markdown(say_rule(rule, columns))
        change.button(
            "",
            icon=":material/edit:",
            key=f"rule-edit-{place}",
            help="Change this rule",
            disabled=session.rule_draft is not None,
            on_click=begin_rule,
            args=(session, RuleDraft.of(rule)),
        )
        remove.button(
            "",
            icon=":material/delete:",
            key=f"rule-remove-{place}",
            help="Take this rule out",
            on_click=_remove,
            args=(session, rule),
        )
        about = " ".join(filter(None, (word_source(rule), word_policy(rule, columns))))
        st.caption(f"`{rule.text}` · {words.escape(about)}")
        if session.data.table is not None:
            _draw_check(session, place, rule)
        draw_order(session, rule, f"rule-{place}")


def _remove(session: Session, rule: Rule) -> None:
    schema = session.settings.require_schema()
    session.describe(schema.with_rules([each for each in schema.rules if each != rule]))


def _draw_check(session: Session, place: int, rule: Rule) -> None:
    """Draw how the open table keeps a rule."""
    schema, policies = session.settings.require_schema(), session.settings.policies
    with mark_internal(f"rule-check-{place}"):
        try:
            found = session.data.check_rule(schema, policies, rule)
        except Refusal as refusal:
            st.caption(f"Not checked against the table yet: {words.escape(refusal.problem)}")
            return
        st.markdown(_describe_check(found))
        if found.met == 0:
            st.warning(
                "No record of the table meets its condition: is a value or a sign mistaken?",
                icon=":material/help:",
            )
        if found.broken:
            with st.popover("Show some that break it", icon=":material/visibility:"):
                st.dataframe(_list_examples(session, rule, found), hide_index=True)


def _describe_check(found: RuleCheck) -> str:
    if not found.broken:
        return f"All {words.count(found.rows, 'row')} of the table keep it."
    return f"**{found.broken:,}** of {words.count(found.rows, 'row')} of the table break it."


def _list_examples(session: Session, rule: Rule, found: RuleCheck) -> dict[str, list[str]]:
    """Return what the first records that break a rule hold in its columns. Confidential."""
    schema = session.settings.require_schema().of_file
    records = session.data.unrepaired_records(schema, session.settings.policies).take(
        found.examples
    )
    shown = {}
    for name in rule.names:
        texts, places = spell_column(records, schema.index(name))
        shown[schema.column(name).title or name] = [texts[each] for each in places]
    return shown


def _draw_contradiction(session: Session) -> None:
    """Say which rules leave nothing, where a change of columns made them so."""
    try:
        _ = session.settings.require_schema().relations
    except Refusal as refusal:
        show_refusal(refusal)


# What could be a rule.


def _draw_suggestions(session: Session) -> None:
    schema = session.settings.require_schema()
    if session.data.table is None:
        return
    try:
        found = session.data.rule_suggestions(schema, session.settings.policies)
    except Refusal:
        # The columns say what is wrong with the table.
        return
    if not found:
        return
    # The same words whatever is left, so that the fold stays open while some are adopted.
    with st.expander("Rules that the table seems to keep"), mark_internal("rule-suggestions"):
        st.markdown(
            "Read off your table, and none is used. Adopt those that everybody knows without it, "
            "and say where from."
        )
        for place, each in enumerate(found):
            _draw_suggestion(session, place, each)


def _draw_suggestion(session: Session, place: int, suggestion: RuleSuggestion) -> None:
    columns = session.settings.require_schema().file_columns
    said, source, adopt = st.columns([6, 3, 2], vertical_alignment="bottom")
    said.markdown(say_rule(Rule(text=suggestion.text), columns), help=KINDS[suggestion.kind])
    key = f"rule-source-{suggestion.text}"
    origin: Origin | None = source.selectbox(
        "Where is this known from?",
        KNOWN,
        index=None,
        format_func=lambda each: ORIGINS[each],
        key=key,
        placeholder="Known from …",
        label_visibility="collapsed",
    )
    adopt.button(
        "Adopt",
        key=f"rule-adopt-{place}",
        icon=":material/check:",
        disabled=origin is None,
        on_click=partial(_adopt, session, suggestion.text, origin),
        width="stretch",
    )


def _adopt(session: Session, text: str, origin: Origin | None) -> None:
    assert origin is not None
    try:
        keep_rule(session, Rule(text=text, origin=origin))
    except Refusal as refusal:
        session.cautions.append(f"{words.escape(refusal.problem)} {words.escape(refusal.remedy)}")
