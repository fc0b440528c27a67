"""Rules of a run on the Inspect page, and before it on the Privacy page."""

from __future__ import annotations

import re
from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import session_of, small
from understudy.core.home import home
from understudy.runs.control import start, wait
from understudy.runs.folder import RunFolder
from understudy.runs.work import Job
from understudy.table.rules.rule import Rule
from understudy_dashboard.ledger_status import dataset_of
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]

RULE = Rule(text='if (job == "cook") pay != "high"', origin="law")


def ruled(session: Session) -> Session:
    """The tiny table under a rule that it keeps."""
    session.describe(session.settings.require_schema().with_rules((RULE,)).declare_public())
    return small(session)


def release(session: Session) -> RunFolder:
    job = Job(session.records(), session.settings.plan())
    run = start(job, home(), dataset=dataset_of(session))
    assert wait(run).state == "finished"
    return run


def look(opened: Opened, session: Session) -> AppTest:
    page = opened("inspect", session)
    page.session_state["inspect-Overview"] = "Rules"
    page.run()
    return page


def test_privacy_lists_rules_in_words_and_that_they_cost_nothing(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("privacy", ruled(session))
    assert not page.exception
    assert any("nothing is paid for them" in each.label for each in page.expander)
    assert "If *job* is cook, then *pay* is not high." in said(page)


def test_a_method_that_keeps_no_rules_has_them_set_aside_by_one_click(
    opened: Opened, said: Said, session: Session
) -> None:
    ruled(session)
    page = opened("privacy", session)
    page.button(key="rules-aside-pmse").click().run()
    assert not page.exception
    changed = session_of(page)
    schema = changed.settings.require_schema()
    assert (changed.settings.method, schema.rules, schema.set_aside) == ("pmse", (), (RULE,))
    assert schema.declared
    assert "1 rule is set aside for this release." in said(page)
    page.button(key="rules-keep-again").click().run()
    assert session_of(page).settings.require_schema().rules == (RULE,)
    assert "may release rows that break them" in said(page)
    page.button(key="rules-aside").click().run()
    assert session_of(page).settings.require_schema().set_aside == (RULE,)
    assert "may release rows" not in said(page)


def test_inspect_says_how_many_rows_break_rules_that_were_set_aside(
    opened: Opened, said: Said, session: Session
) -> None:
    ruled(session)
    session.describe(session.settings.require_schema().set_rules_aside())
    release(session)
    page = look(opened, session)
    assert not page.exception
    assert "**1 rule set aside for this release**" in said(page)
    found = re.search(r"then \*pay\* is not high\. \*\*([0-9,]+) rows?\*\* break it", said(page))
    assert found is not None
    assert found[1] != "0"


def test_inspect_counts_rows_that_break_a_rule_on_the_released_file(
    opened: Opened, said: Said, session: Session
) -> None:
    run = release(ruled(session))
    page = look(opened, session)
    assert not page.exception
    assert "If *job* is cook, then *pay* is not high. **0 rows** break it." in said(page)
    assert "Is a rule missing?" in said(page)
    table = run.path / "release" / "synthetic.csv"
    path = table if table.exists() else next(run.path.rglob("*.csv"))
    lines = path.read_text().splitlines()
    path.chmod(0o644)
    path.write_text("\n".join([*lines, "30,cook,high", "31,cook,high"]) + "\n")
    session.cache.clear()
    assert "**2 rows** break it." in said(look(opened, session))


def test_values_that_only_the_release_has_together_may_be_a_missing_rule(
    opened: Opened, said: Said, session: Session
) -> None:
    release(small(session))
    page = look(opened, session)
    assert "No rule is declared" in said(page)
    found = next(each.value for each in page.dataframe if "Released rows" in each.value)
    assert ["cook", "high"] in found[["holds", "holds "]].to_numpy().tolist()
