"""Rules from a file: one a line, or as R's `validate` writes them. What is not used is said."""

from __future__ import annotations

from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.column import KNOWN, ORIGINS, Origin
from understudy.table.rules.validate_file import MOST_BYTES, ImportedRules, read_rules
from understudy_dashboard import words
from understudy_dashboard.frame import show_refusal
from understudy_dashboard.parts.rule_form import mark_late
from understudy_dashboard.parts.schema_file import read_upload
from understudy_dashboard.session import Session

_NAMED: Final = 20
_EXAMPLE: Final = """
```
if (age < 16) marital == "single"
admitted <= discharged
```
"""


def draw_rule_file(session: Session) -> None:
    """Draw an upload of a file whose rules are added to those of the schema."""
    with st.popover("Rules from a file", icon=":material/upload:"):
        st.markdown("One rule a line, as below, or a file of R’s package *validate*." + _EXAMPLE)
        origin: Origin | None = st.selectbox(
            "Where are they known from?",
            KNOWN,
            index=None,
            format_func=lambda each: ORIGINS[each],
            key="rule-file-source",
            placeholder="Choose one",
        )
        given = st.file_uploader(
            "A file of rules",
            type=["r", "txt", "yaml", "yml"],
            key=f"rule-file-{session.revision}",
            max_upload_size=MOST_BYTES >> 20,
            disabled=origin is None,
        )
        if given is None or origin is None:
            return
        try:
            _take_rules(session, given.getvalue(), origin)
        except Refusal as refusal:
            show_refusal(refusal)
            return
    st.rerun()


def _take_rules(session: Session, data: bytes, origin: Origin) -> None:
    """Add the rules of a file to the schema, and say which were not used.

    Raises:
        Refusal: it cannot be read, or with its rules nothing is left.
    """
    schema = session.settings.require_schema()
    found = read_rules(read_upload(data), schema.file_columns)
    known = {rule.text for rule in schema.declared_rules}
    added = [
        mark_late(session, rule.model_copy(update={"origin": origin}), rule.text)
        for rule in found.rules
        if rule.text not in known
    ]
    changed = schema.with_rules((*schema.rules, *added))
    _ = changed.relations
    session.describe(changed)
    session.notices.append(f"{words.count(len(added), 'rule')} added from the file.")
    session.cautions.extend(_list_unused(found))


def _list_unused(found: ImportedRules) -> list[str]:
    """Return what of a file is not used, in sentences."""
    sentences = [*(each.sentence for each in found.refused), *found.notes]
    shown = [f"Not used: {words.escape(each)}" for each in sentences[:_NAMED]]
    if len(sentences) > _NAMED:
        shown.append(f"Nor were {len(sentences) - _NAMED:,} more.")
    return shown
