"""The form of one rule, in sentences; what is begun stays until it is finished or taken back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any, Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.authoring.rule_patterns import (
    PATTERNS,
    Clause,
    Pattern,
    RuleDraft,
    list_not_asked_codes,
    list_relations,
    list_values,
)
from understudy.table.column import KNOWN, ORIGINS, Column
from understudy.table.domain import range_of
from understudy.table.rules.rule import Rule
from understudy.table.rules.sentences import word_rule
from understudy_dashboard import words
from understudy_dashboard.frame import FieldRefusals
from understudy_dashboard.parts.controls import fill_widget
from understudy_dashboard.session import Session

_EXAMPLE: Final = 'if (age < 16) marital == "single"'
_LEAVE_OUT: Final = ""
_MOST_CLAUSES: Final = 8
_SAFE: Final = 10**9
_PLAIN_DATES: Final = ("dates",)


def say_rule(rule: Rule, columns: Sequence[Column]) -> str:
    """Return a rule as a sentence in Markdown, the names of columns in italics."""
    return word_rule(rule.tree, columns, lambda name: f"*{words.escape(name)}*", words.escape)


def begin_rule(session: Session, draft: RuleDraft | None = None) -> None:
    """Open the form: of a new rule, or of one that is changed."""
    session.rule_draft = draft or RuleDraft()


def draw_rule_form(session: Session) -> None:
    """Draw the form of the rule that is being written, and the buttons that end it."""
    draft, schema = session.rule_draft, session.settings.require_schema()
    assert draft is not None
    with st.container(border=True, key="rule-form"):
        _draw_pattern(session, draft)
        _Form(session, draft, {each.name: each for each in schema.file_columns}).draw()
        _draw_about(session, draft)
        _finish(session, draft)


def _change(session: Session, **given: Any) -> None:
    assert session.rule_draft is not None
    session.rule_draft = session.rule_draft.change(**given)


def _take(session: Session, name: str, key: str) -> None:
    value = st.session_state[key]
    _change(session, **{name: tuple(value) if isinstance(value, list) else value})


def _draw_pattern(session: Session, draft: RuleDraft) -> None:
    key = "rule-pattern"
    fill_widget(key, draft.pattern)
    st.segmented_control(
        "What kind of rule is it?",
        list(PATTERNS),
        format_func=lambda each: PATTERNS[each],
        required=True,
        key=key,
        on_change=_take_pattern,
        args=(session, key),
    )


def _take_pattern(session: Session, key: str) -> None:
    pattern: Pattern = st.session_state[key]
    assert session.rule_draft is not None
    some = session.rule_draft.conditions
    conditions = (*some, Clause()) if pattern == "count" and len(some) < 2 else some
    _change(session, pattern=pattern, conditions=conditions)


class _Form:
    """The widgets of a rule by its pattern."""

    def __init__(self, session: Session, draft: RuleDraft, columns: Mapping[str, Column]) -> None:
        self._session, self._draft, self._columns = session, draft, columns

    def draw(self) -> None:
        """Draw what the pattern asks for."""
        draw: Mapping[Pattern, Callable[[], None]] = {
            "if": self._draw_if,
            "order": self._draw_order,
            "sum": self._draw_sum,
            "not asked": self._draw_not_asked,
            "count": self._draw_count,
            "text": self._draw_text,
        }
        draw[self._draft.pattern]()

    def _draw_if(self) -> None:
        self._draw_clauses("conditions", "If")
        self._draw_clauses("then", "then")

    def _draw_count(self) -> None:
        self._draw_switch("How many of these may hold together?", "at most", "exactly")
        key = "rule-most"
        fill_widget(key, self._draft.most)
        st.number_input(
            "How many",
            min_value=0,
            max_value=_MOST_CLAUSES,
            step=1,
            key=key,
            on_change=_take,
            args=(self._session, "most", key),
        )
        self._draw_clauses("conditions", "Of", joint="and of")

    def _draw_order(self) -> None:
        self._ask_names("Columns in order, the earliest or smallest first", self._list_ordered())
        self._draw_switch("May two be the same?", "yes", "no")

    def _draw_sum(self) -> None:
        numbers = [each for each in self._list_ordered() if self._columns[each].domain.numeric]
        self._ask_names("The parts that are added up", numbers)
        self._draw_switch("Together they are", "at most", "exactly")
        self._ask_name("the total", numbers)
        if self._draft.exact:
            st.caption(
                "If the total always is the sum, derive it from its parts instead: a derived "
                "column is exact and costs nothing."
            )

    def _draw_not_asked(self) -> None:
        missing = [name for name, each in self._columns.items() if each.missing]
        if not missing:
            st.info(
                "No column may be missing. Allow it in the column that is not asked of everybody, "
                "with a code such as “-8 = not applicable”."
            )
        self._ask_name("The column that is not asked of everybody", missing)
        column = self._columns.get(self._draft.name)
        codes = {} if column is None else dict(list_not_asked_codes(column))
        if codes:
            key = "rule-code"
            if self._draft.code not in codes:
                _change(self._session, code=next(iter(codes)))
                self._draft = self._draft.change(code=next(iter(codes)))
            fill_widget(key, self._draft.code)
            st.selectbox(
                "then is",
                list(codes),
                format_func=codes.__getitem__,
                key=key,
                on_change=_take,
                args=(self._session, "code", key),
            )
        self._draw_clauses("conditions", "exactly if")

    def _draw_text(self) -> None:
        key = "rule-text"
        fill_widget(key, self._draft.text)
        st.text_area(
            "The rule, as in R’s validate",
            key=key,
            height=80,
            placeholder=_EXAMPLE,
            on_change=_take,
            args=(self._session, "text", key),
            help="Comparisons of sums of columns, %in% c(…), is.na(…), !, &, | and if (…) … else "
            "…. A name with blanks stands in `backticks`, a text in straight quotation marks.",
        )

    # Columns.

    def _list_ordered(self) -> list[str]:
        return [name for name, each in self._columns.items() if each.domain.ordered]

    def _name(self, name: str) -> str:
        column = self._columns.get(name)
        return name if column is None else column.title or name

    def _ask_names(self, label: str, offered: Sequence[str]) -> None:
        key = f"rule-names-{self._draft.pattern}"
        fill_widget(key, [each for each in self._draft.names if each in offered])
        st.multiselect(
            label,
            offered,
            format_func=self._name,
            key=key,
            placeholder="Choose two or more columns",
            on_change=_take,
            args=(self._session, "names", key),
        )

    def _ask_name(self, label: str, offered: Sequence[str]) -> None:
        key = f"rule-name-{self._draft.pattern}"
        fill_widget(key, self._draft.name if self._draft.name in offered else None)
        st.selectbox(
            label,
            offered,
            index=None,
            format_func=self._name,
            key=key,
            placeholder="Choose a column",
            on_change=_take_or_blank,
            args=(self._session, "name", key),
        )

    def _draw_switch(self, label: str, no: str, yes: str) -> None:
        """Draw the choice between the two readings of a pattern."""
        key = f"rule-exact-{self._draft.pattern}"
        fill_widget(key, self._draft.exact)
        st.radio(
            label,
            [False, True],
            format_func=lambda exact: yes if exact else no,
            key=key,
            horizontal=True,
            on_change=_take,
            args=(self._session, "exact", key),
        )

    # Conditions.

    def _draw_clauses(self, which: str, first: str, joint: str = "and") -> None:
        """Draw conditions, one a line, and a button for one more."""
        clauses: tuple[Clause, ...] = getattr(self._draft, which)
        for place, clause in enumerate(clauses):
            self._draw_clause(which, place, clause, first if place == 0 else joint)
        if len(clauses) < _MOST_CLAUSES:
            st.button(
                joint,
                icon=":material/add:",
                key=f"rule-more-{which}",
                on_click=_change,
                args=(self._session,),
                kwargs={which: (*clauses, Clause())},
                help="One more condition",
            )

    def _draw_clause(self, which: str, place: int, clause: Clause, label: str) -> None:
        cells = st.columns([4, 3, 5, 1], vertical_alignment="bottom", gap="small")
        key, column = f"rule-{which}-{place}", self._columns.get(clause.column)
        with cells[0]:
            fill_widget(f"{key}-column", None if column is None else clause.column)
            st.selectbox(
                label,
                list(self._columns),
                index=None,
                format_func=self._name,
                key=f"{key}-column",
                placeholder="Choose a column",
                on_change=self._take_column,
                args=(which, place, f"{key}-column"),
            )
        if column is not None:
            with cells[1]:
                self._ask_relation(which, place, clause, column)
            with cells[2]:
                if clause.relation not in ("missing", "known"):
                    self._ask_values(which, place, clause, column)
        if len(getattr(self._draft, which)) > 1:
            cells[3].button(
                "",
                icon=":material/close:",
                key=f"{key}-remove",
                help="Take this condition out",
                on_click=self._put,
                args=(which, place, None),
            )

    def _ask_relation(self, which: str, place: int, clause: Clause, column: Column) -> None:
        offered = list_relations(column)
        key = f"rule-{which}-{place}-relation"
        fill_widget(key, clause.relation if clause.relation in offered else next(iter(offered)))
        st.selectbox(
            f"How {self._name(column.name)} is compared",
            list(offered),
            format_func=offered.__getitem__,
            key=key,
            label_visibility="collapsed",
            on_change=self._take_relation,
            args=(which, place, key),
        )

    def _ask_values(self, which: str, place: int, clause: Clause, column: Column) -> None:
        """Draw the widget of the column's own kind for what it is compared with."""
        several = clause.relation in ("is", "is not")
        listed = list_values(column)
        key = f"rule-{which}-{place}-values-{column.name}-{several}"
        take = partial(self._take_values, which, place, key)
        label = f"With what {self._name(column.name)} is compared"
        ranged = column.domain.ranged
        given: dict[str, Any] = {"key": key, "on_change": take, "label_visibility": "collapsed"}
        if ranged is None or (several and listed):
            fill_widget(key, list(clause.values))
            st.multiselect(
                label,
                [*listed, *(each for each in clause.values if each not in listed)],
                format_func=lambda text: listed.get(text, text),
                placeholder="Choose one or more" if ranged is None else "Choose, or type a value",
                accept_new_options=ranged is not None,
                **given,
            )
            return
        value = clause.values[0] if clause.values else ""
        low, high = range_of(column.domain).end_texts
        if column.domain.kind in _PLAIN_DATES and (not value or _is_date(value)):
            fill_widget(key, date.fromisoformat(value) if value else None)
            ends = [date.fromisoformat(each) for each in (low, high)]
            st.date_input(label, min_value=ends[0], max_value=ends[1], **given)
            return
        fill_widget(key, value)
        st.text_input(label, placeholder=f"from {low} to {high}", **given)

    def _take_column(self, which: str, place: int, key: str) -> None:
        name = st.session_state[key]
        if name is None:
            self._put(which, place, Clause())
            return
        self._put(
            which,
            place,
            Clause(column=name, relation=next(iter(list_relations(self._columns[name])))),
        )

    def _take_relation(self, which: str, place: int, key: str) -> None:
        clause: Clause = getattr(self._draft, which)[place]
        relation = st.session_state[key]
        single = relation not in ("is", "is not")
        values = clause.values[:1] if single else clause.values
        self._put(which, place, Clause(column=clause.column, relation=relation, values=values))

    def _take_values(self, which: str, place: int, key: str) -> None:
        clause: Clause = getattr(self._draft, which)[place]
        given = st.session_state[key]
        if isinstance(given, date):
            given = given.isoformat()
        values = tuple(given) if isinstance(given, list) else (given,) if given else ()
        values = tuple(str(each).strip() for each in values)
        self._put(
            which, place, Clause(column=clause.column, relation=clause.relation, values=values)
        )

    def _put(self, which: str, place: int, clause: Clause | None) -> None:
        clauses = list(getattr(self._draft, which))
        clauses[place : place + 1] = [] if clause is None else [clause]
        _change(self._session, **{which: tuple(clauses)})


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _take_or_blank(session: Session, name: str, key: str) -> None:
    _change(session, **{name: st.session_state[key] or ""})


# Where it is known from, and what becomes of records that break it.


def _draw_about(session: Session, draft: RuleDraft) -> None:
    source, note = st.columns([2, 3], gap="medium")
    with source:
        fill_widget("rule-origin", draft.origin or None)
        st.selectbox(
            "Where is this known from?",
            KNOWN,
            index=None,
            format_func=lambda each: ORIGINS[each],
            key="rule-origin",
            placeholder="Choose a source",
            on_change=_take_or_blank,
            args=(session, "origin", "rule-origin"),
        )
    with note:
        fill_widget("rule-note", draft.note)
        st.text_input(
            "Where it is written, or why it holds",
            key="rule-note",
            placeholder="such as Marriage Act, section 1; may stay empty if a source is chosen",
            on_change=_take,
            args=(session, "note", "rule-note"),
        )
    ask_policy(session, draft)


def ask_policy(session: Session, draft: RuleDraft) -> None:
    """Ask what becomes of records of the table that break the rule, before any count is shown."""
    columns = session.settings.require_schema().file_columns
    options = {_LEAVE_OUT: "are left out"}
    for column in columns:
        called = words.escape(column.title or column.name)
        for code, label in zip(
            column.missing_codes[: column.missing_count], column.missing_labels, strict=True
        ):
            named = code.label or (code.values[0] if column.missing_count > 1 else "")
            options[f"{column.name}\n{named}"] = f"have {called} set to “{label}”"
    key = "rule-instead"
    chosen = f"{draft.instead}\n{draft.instead_code}" if draft.instead else _LEAVE_OUT
    fill_widget(key, chosen if chosen in options else _LEAVE_OUT)
    st.selectbox(
        "Records of the table that break it",
        list(options),
        format_func=lambda each: options.get(each, each),
        key=key,
        on_change=_take_policy,
        args=(session, key),
        help="Decide this before you see how many there are: a choice made by looking would "
        "depend on the records.",
    )
    with st.container():
        if _is_late(session, draft):
            st.warning(
                "You have seen how many records break this rule. The statement, the report and "
                "the packet will say that this was changed afterwards.",
                icon=":material/visibility:",
            )


def _is_late(session: Session, draft: RuleDraft) -> bool:
    """Return whether what is decided now differs from what stood when a count was shown."""
    if draft.replaced not in session.policy_when_counted:
        return False
    before = session.policy_when_counted[draft.replaced]
    now = (draft.instead, draft.instead_code)
    return now != (("", "") if before is None else (before.column, before.code))


def _take_policy(session: Session, key: str) -> None:
    name, _, code = st.session_state[key].partition("\n")
    _change(session, instead=name, instead_code=code)


def _finish(session: Session, draft: RuleDraft) -> None:
    """Draw what the rule says, what is still to be given, and the buttons that end the form."""
    schema = session.settings.require_schema()
    refusal: Refusal | None = None
    rule: Rule | None = None
    try:
        rule = draft.finish(schema.file_columns)
        st.markdown(say_rule(rule, schema.file_columns), help=f"`` {rule.text} ``")
    except Refusal as refused:
        refusal = refused
    keep, discard = st.columns(2)
    label = "Change the rule" if draft.replaced else "Add the rule"
    if keep.button(
        label,
        type="primary",
        key="rule-keep",
        icon=":material/check:",
        disabled=rule is None,
        width="stretch",
    ):
        assert rule is not None
        try:
            keep_rule(session, rule, draft.replaced)
        except Refusal as refused:
            refusal = refused
        else:
            session.rule_draft = None
            st.rerun()
    discard.button(
        "Do without it",
        key="rule-discard",
        icon=":material/close:",
        on_click=_discard,
        args=(session,),
        width="stretch",
    )
    if draft.is_begun:
        FieldRefusals(refusal).rest()


def keep_rule(session: Session, rule: Rule, replaced: str = "") -> None:
    """Take a rule into the schema, in the place of another or after all.

    Raises:
        Refusal: with the others it leaves nothing, or it is there already.
    """
    schema = session.settings.require_schema()
    rule = mark_late(session, rule, replaced or rule.text)
    rules = [each for each in schema.rules if each.text != rule.text or each.text == replaced]
    if len(rules) < len(schema.rules):
        raise Refusal(
            f"The rule “{rule.title}” is there already.", "Change that one.", field="rules"
        )
    texts = [each.text for each in rules]
    if replaced in texts:
        rules[texts.index(replaced)] = rule
    else:
        rules.append(rule)
    changed = schema.with_rules(rules)
    _ = changed.relations
    session.describe(changed)


def mark_late(session: Session, rule: Rule, known_as: str) -> Rule:
    """Return a rule that says whether what becomes of records that break it was changed after their
    number was shown.

    Args:
        session: the page's state.
        rule: as it is to be.
        known_as: the text of the rule that a number was shown for.
    """
    if known_as not in session.policy_when_counted:
        return rule
    first = session.policy_when_counted.setdefault(rule.text, session.policy_when_counted[known_as])
    return rule.model_copy(update={"settled_late": rule.instead != first})


def _discard(session: Session) -> None:
    session.rule_draft = None
