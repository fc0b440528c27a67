"""Rules that everyone knows: the list, how the open table keeps each, and what could be one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.authoring.rule_patterns import RuleDraft
from understudy.table.authoring.rule_suggestions import KINDS, RuleSuggestion
from understudy.table.column import KNOWN, ORIGINS, Column, Origin
from understudy.table.records import spell_column
from understudy.table.rules.not_applicable import (
    ExactRule,
    OpenCode,
    list_open_codes,
    suggest_exact_rules,
)
from understudy.table.rules.rule import Rule
from understudy.table.rules.rule_check import RuleCheck
from understudy.table.rules.sentences import word_policy, word_source
from understudy_dashboard import words
from understudy_dashboard.demo import is_demonstration
from understudy_dashboard.frame import (
    IconButton,
    draw_link,
    draw_with_buttons,
    mark_internal,
    show_unchecked,
    showing_refusals,
)
from understudy_dashboard.parts.recodings import draw_order
from understudy_dashboard.parts.rule_file import draw_rule_file
from understudy_dashboard.parts.rule_form import begin_rule, draw_rule_form, keep_rule, say_rule
from understudy_dashboard.schema_edits import remember, try_change
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
    st.subheader("Rules that everyone knows", anchor=False)
    st.markdown(_LEAD)
    # In a container each, so that what stands below stays the same fold as rules come and go.
    with st.container():
        for place, rule in enumerate(schema.rules):
            _draw_rule(session, place, rule)
        draw_set_aside(session)
    with st.container(), showing_refusals():
        _ = schema.relations
    with st.container():
        _draw_open_codes(session)
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
    """Say which rules every released row will keep, that nothing is paid for them, and which are
    set aside."""
    schema = session.settings.require_schema()
    draw_set_aside(session)
    if not schema.rules:
        return
    number = words.count(len(schema.rules), "rule")
    _draw_not_kept(session)
    with st.expander(f"Released rows keep {number} that everyone knows: nothing is paid for them"):
        st.markdown(
            _list_in_words(schema.rules, schema.file_columns)
            + "\n\nThey stand on your word that everybody knows them, which the guarantee says."
        )
        draw_link("data", "Change them on Data", icon=None)


def _list_in_words(rules: Sequence[Rule], columns: Sequence[Column]) -> str:
    return "\n".join(f"- {say_rule(rule, columns)}" for rule in rules)


def _draw_not_kept(session: Session) -> None:
    """Say that the plan as it stands cannot keep the rules, with the way on."""
    try:
        session.settings.planned_run()
    except Refusal as refusal:
        aside = session.settings.require_schema().set_rules_aside()
        if refusal.field != "rules" or aside.kept_rules:
            return
        with st.container(border=True, key="rules-not-kept"):
            st.markdown(
                f":material/rule: **{words.escape(refusal.problem)}** Set the rules aside, and "
                "they stay declared: the statement, the report and the packet say that released "
                "rows need not keep them, and count how many do not."
            )
            draw_setting_aside(session, "Set the rules aside for this release", "rules-aside")


def draw_setting_aside(session: Session, label: str, key: str, method: str = "") -> None:
    """Draw the button that sets every rule aside.

    Args:
        session: the page's state.
        label: of the button.
        key: of the button.
        method: the method that is used from then on; "" for the one in use.
    """
    st.button(
        label,
        key=key,
        icon=":material/rule:",
        on_click=_set_aside,
        args=(session, method),
    )


def _set_aside(session: Session, method: str) -> None:
    """Set the rules aside, as a step that can be taken back."""
    remember(session)
    session.describe(session.settings.require_schema().set_rules_aside())
    if method:
        session.settings.method = method
    remember(session)


def draw_set_aside(session: Session) -> None:
    """Say which rules are declared and not kept by this release, and offer to keep them again."""
    schema = session.settings.require_schema()
    if not schema.set_aside:
        return
    several = len(schema.set_aside) > 1
    with st.container(border=True, key="rules-set-aside"):
        st.markdown(
            f":material/rule: **{words.count(len(schema.set_aside), 'rule')} "
            f"{'are' if several else 'is'} set aside for this release.** Released rows may break "
            f"{'them' if several else 'it'}; the statement, the report and the packet say so.\n\n"
            + _list_in_words(schema.set_aside, schema.file_columns)
        )
        st.button(
            f"Keep {'them' if several else 'it'} again",
            key="rules-keep-again",
            icon=":material/undo:",
            on_click=_keep_again,
            args=(session,),
        )


def _keep_again(session: Session) -> None:
    """Keep the rules that were set aside, as a step that can be taken back."""
    remember(session)
    try_change(session, lambda: session.describe(session.settings.require_schema().keep_rules()))
    remember(session)


def _draw_rule(session: Session, place: int, rule: Rule) -> None:
    columns = session.settings.require_schema().file_columns
    with st.container(border=True, key=f"rule-{place}"):
        draw_with_buttons(
            say_rule(rule, columns),
            IconButton(
                key=f"rule-edit-{place}",
                icon=":material/edit:",
                help="Change this rule",
                on_click=partial(begin_rule, session, RuleDraft.of(rule)),
                disabled=session.rule_draft is not None,
            ),
            IconButton(
                key=f"rule-remove-{place}",
                icon=":material/delete:",
                help="Take this rule out",
                on_click=partial(_remove, session, rule),
            ),
            explanation=f"`` {rule.text} ``",
        )
        about = " ".join(filter(None, (word_source(rule), word_policy(rule, columns))))
        st.caption(words.escape(about))
        _draw_check(session, place, rule)
        draw_order(session, rule, f"rule-{place}")


def _remove(session: Session, rule: Rule) -> None:
    schema = session.settings.require_schema()
    session.describe(schema.with_rules([each for each in schema.rules if each != rule]))


def _draw_check(session: Session, place: int, rule: Rule) -> None:
    """Draw how the open table keeps a rule."""
    schema, policies = session.settings.require_schema(), session.settings.policies
    key = f"rule-check-{place}"
    try:
        check = session.data.check_rule(schema, policies, rule)
    except Refusal as refusal:
        show_unchecked(key, refusal)
        return
    with mark_internal(key, _describe_check(check)):
        session.policy_when_counted.setdefault(rule.text, rule.instead)
        if check.met == 0:
            st.warning(
                "No record of the table meets its condition: is a value or a sign mistaken?",
                icon=":material/help:",
            )
        if check.broken:
            with st.popover("Show some that break it", icon=":material/visibility:"):
                st.dataframe(_list_examples(session, rule, check), hide_index=True)


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


# Codes for “not applicable” without a rule.


def _draw_open_codes(session: Session) -> None:
    """Ask exactly when a column is not applicable, where no rule says it."""
    schema = session.settings.require_schema()
    for place, code in enumerate(list_open_codes(schema)):
        called = words.escape(code.column.title or code.column.name)
        with st.container(border=True, key=f"rule-open-{place}"):
            st.markdown(
                f":material/help: **When exactly is {called} “{words.escape(code.meaning)}”?** "
                "Without a rule released rows may have it where it makes no sense."
            )
            with st.container(horizontal=True):
                for number, exact in enumerate(suggest_exact_rules(schema, code)):
                    said = say_rule(Rule(text=exact.text), schema.file_columns)
                    st.button(
                        said,
                        key=f"rule-exact-{place}-{number}",
                        icon=":material/check:",
                        on_click=_make_exact,
                        args=(session, exact),
                    )
                st.button(
                    "Say when",
                    key=f"rule-say-when-{place}",
                    icon=":material/edit:",
                    disabled=session.rule_draft is not None,
                    on_click=begin_rule,
                    args=(
                        session,
                        RuleDraft(pattern="not asked", name=code.column.name, code=code.meaning),
                    ),
                )
                st.button(
                    "It only means missing",
                    key=f"rule-only-missing-{place}",
                    on_click=_call_missing,
                    args=(session, code),
                    help="The code keeps its text and is called “missing or not applicable”.",
                )


def _make_exact(session: Session, exact: ExactRule) -> None:
    """Put the rule that says exactly when a code stands in the place of one that says half."""
    half = exact.half.model_dump()
    try_change(
        session, partial(keep_rule, session, Rule(**{**half, "text": exact.text}), half["text"])
    )


def _call_missing(session: Session, code: OpenCode) -> None:
    schema, column = session.settings.require_schema(), code.column
    codes = tuple(
        each.model_copy(update={"label": f"missing or {each.meaning}"})
        if each.meaning == code.meaning
        else each
        for each in column.missing_codes
    )
    changed = partial(schema.replace, column.changed(missing_codes=codes))
    try_change(session, lambda: session.describe(changed()))


# What could be a rule.


def _draw_suggestions(session: Session) -> None:
    schema = session.settings.require_schema()
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
    try_change(session, partial(keep_rule, session, Rule(text=text, origin=origin)))
