"""Rules on the Data page: written in a form, checked on the table, adopted, and never lost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import answer_all, session_of
from understudy.table.authoring.first_schema import suggest_first_schema
from understudy.table.authoring.rule_patterns import Clause, RuleDraft
from understudy.table.missing_codes import MissingCode
from understudy.table.rules.rule import Rule
from understudy.table.sources.reading import read_table
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.open_project import take_table
from understudy_dashboard.parts.rule_form import keep_rule
from understudy_dashboard.questions import list_open_questions
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def stays_csv() -> bytes:
    """Stays of 480 people who do not exist; three leave before they come."""
    lines = ["age,marital,admitted,discharged,wage"]
    for person in range(480):
        age = person % 80
        marital = "single" if age < 16 else ("married", "single", "widowed")[person % 3]
        wage = "-8" if age < 16 else str(1000 + 10 * (person % 90))
        start = date(2024, 1, 5) + timedelta(days=person % 300)
        end = start + timedelta(days=person % 5 if person >= 3 else -3)
        lines.append(f"{age},{marital},{start},{end},{wage}")
    return "\n".join(lines).encode()


@pytest.fixture
def stays() -> Session:
    """The stays, open in a project of their own, with everything answered."""
    session, data = Session(), stays_csv()
    table = LoadedTable("stays.csv", read_table(data, name="stays.csv"))
    take_table(session, table)
    answer_all(session)
    return session


def ready(session: Session, **given: object) -> Session:
    """The session, with a rule in its form that lacks nothing."""
    session.rule_draft = RuleDraft(
        conditions=(Clause(column="age", relation="<", values=("16",)),),
        then=(Clause(column="marital", relation="is", values=("single",)),),
        origin="law",
    ).change(**given)
    return session


def test_a_rule_is_written_in_a_form_and_checked_afterwards(
    opened: Opened, said: Said, stays: Session
) -> None:
    page = opened("data", stays)
    assert not page.exception
    page.button(key="rule-add").click().run()
    page.selectbox(key="rule-conditions-0-column").set_value("age").run()
    page.selectbox(key="rule-conditions-0-relation").set_value("<").run()
    page.text_input(key="rule-conditions-0-values-age-False").set_value("16").run()
    page.selectbox(key="rule-then-0-column").set_value("marital").run()
    page.multiselect(key="rule-then-0-values-marital-True").set_value(["single"]).run()
    assert page.button(key="rule-keep").disabled
    assert "still to be said where the rule is known from" in said(page)
    assert "of the table keep it" not in said(page)
    page.selectbox(key="rule-origin").set_value("law").run()
    page.button(key="rule-keep").click().run()
    assert not page.exception
    schema = session_of(page).settings.require_schema()
    assert [rule.text for rule in schema.rules] == ['if (age < 16) marital == "single"']
    assert "If *age* is under 16, then *marital* is single." in said(page)
    assert "All 480 rows of the table keep it." in said(page)
    page.button(key="rule-remove-0").click().run()
    assert not session_of(page).settings.require_schema().rules


def test_rows_that_break_a_rule_are_counted_and_shown_to_the_custodian_alone(
    opened: Opened, said: Said, stays: Session
) -> None:
    stays.rule_draft = RuleDraft(pattern="order", names=("admitted", "discharged"), origin="design")
    page = opened("data", stays)
    page.button(key="rule-keep").click().run()
    assert "**3** of 480 rows of the table break it." in said(page)
    examples = next(each for each in page.dataframe if "admitted" in each.value.columns)
    assert list(examples.value["admitted"]) == ["2024-01-05", "2024-01-06", "2024-01-07"]


def test_what_becomes_of_records_is_said_to_be_changed_after_their_number_was_shown(
    opened: Opened, said: Said, stays: Session
) -> None:
    """The number of a rule that is edited, or taken out and added again, was seen."""
    wage = stays.settings.require_schema().column("wage")
    stays.describe(
        stays.settings.require_schema().replace(
            wage.changed(missing=True, missing_codes=(MissingCode(values=("-8",), label="-"),))
        )
    )
    order = Rule(text="admitted <= discharged", origin="design")
    keep_rule(stays, order)
    page = opened("data", stays)
    assert "break it." in said(page)
    page.button(key="rule-edit-0").click().run()
    assert "will say that this was changed afterwards" not in said(page)
    page.selectbox(key="rule-instead").set_value("wage\n-").run()
    assert "will say that this was changed afterwards" in said(page)
    page.button(key="rule-keep").click().run()
    session = session_of(page)
    (rule,) = session.settings.require_schema().rules
    assert rule.settled_late
    assert "This was changed after it was seen how many they are." in said(page)
    session.describe(session.settings.require_schema().with_rules(()))
    keep_rule(session, order)
    assert not session.settings.require_schema().rules[0].settled_late
    session.describe(session.settings.require_schema().with_rules(()))
    keep_rule(session, order.model_copy(update={"instead": rule.instead}))
    assert session.settings.require_schema().rules[0].settled_late


def test_when_a_column_is_not_applicable_is_asked_and_answered_by_one_click(
    opened: Opened, said: Said, stays: Session
) -> None:
    schema = stays.settings.require_schema()
    code = MissingCode(values=("-8",), label="not applicable")
    wage = schema.column("wage").changed(missing=True, missing_codes=(code,))
    half = Rule(text='if (age < 16) wage == "not applicable"', origin="questionnaire")
    stays.describe(schema.replace(wage).with_rules((half,)))
    page = opened("data", stays)
    assert "When exactly is wage “not applicable”?" in said(page)
    assert "Waits for" in said(page)
    assert "when exactly wage is not applicable" in said(page)
    page.button(key="rule-exact-0-0").click().run()
    assert not page.exception
    (rule,) = session_of(page).settings.require_schema().rules
    assert (rule.text, rule.origin) == (
        '(wage == "not applicable") == (age < 16)',
        "questionnaire",
    )
    assert "When exactly is" not in said(page)


def test_a_code_without_a_rule_may_only_mean_missing_or_opens_the_form(
    opened: Opened, said: Said, stays: Session
) -> None:
    schema = stays.settings.require_schema()
    code = MissingCode(values=("-8",), label="not applicable")
    wage = schema.column("wage").changed(missing=True, missing_codes=(code,))
    stays.describe(schema.replace(wage))
    page = opened("data", stays)
    page.button(key="rule-say-when-0").click().run()
    assert page.selectbox(key="rule-name-not asked").value == "wage"
    assert page.selectbox(key="rule-code").value == "not applicable"
    page.button(key="rule-discard").click().run()
    page.button(key="rule-only-missing-0").click().run()
    assert not page.exception
    wage = session_of(page).settings.require_schema().column("wage")
    assert wage.missing_codes[0].label == "missing or not applicable"
    assert "When exactly is" not in said(page)


def test_a_condition_that_no_record_meets_is_warned_of(
    opened: Opened, said: Said, stays: Session
) -> None:
    schema = stays.settings.require_schema()
    stays.describe(schema.with_rules((Rule(text="if (age > 100) wage >= 1000", origin="law"),)))
    assert "No record of the table meets its condition" in said(opened("data", stays))


def test_rules_that_leave_nothing_together_are_refused_in_words(
    opened: Opened, said: Said, stays: Session
) -> None:
    schema = stays.settings.require_schema()
    stays.describe(schema.with_rules((Rule(text='marital == "married"', origin="law"),)))
    stays.rule_draft = RuleDraft(pattern="text", text='marital == "single"', origin="law")
    page = opened("data", stays)
    page.button(key="rule-keep").click().run()
    assert not page.exception
    assert len(session_of(page).settings.require_schema().rules) == 1
    assert session_of(page).rule_draft is not None
    assert 'marital == "married"' in " ".join(each.value for each in page.error)


def test_a_half_given_rule_blocks_what_follows_and_is_kept(
    opened: Opened, said: Said, stays: Session
) -> None:
    draft = ready(stays, origin="").rule_draft
    assert draft is not None
    page = opened("data", stays)
    assert "was begun on the Data page and is not finished" in said(page)
    assert page.button(key="confirm-data").disabled
    assert [each.state for each in list_open_questions(session_of(page))] == ["half"]
    privacy = opened("privacy", session_of(page))
    assert "the rest of a rule that was begun" in said(privacy)
    assert session_of(privacy).rule_draft == draft
    again = opened("data", session_of(privacy))
    again.button(key="rule-discard").click().run()
    assert not list_open_questions(session_of(again))


def test_a_rule_is_changed_in_its_form(opened: Opened, stays: Session) -> None:
    schema = stays.settings.require_schema()
    rules = (Rule(text='if (age < 16) marital == "single"', origin="law"),)
    page = opened("data", _with(stays, schema.with_rules(rules)))
    page.button(key="rule-edit-0").click().run()
    page.text_input(key="rule-conditions-0-values-age-False").set_value("14").run()
    page.button(key="rule-keep").click().run()
    (rule,) = session_of(page).settings.require_schema().rules
    assert rule.text == 'if (age < 14) marital == "single"'


def test_suggestions_are_adopted_one_by_one_with_a_source(
    opened: Opened, said: Said, stays: Session
) -> None:
    page = opened("data", stays)
    schema = session_of(page).settings.require_schema()
    assert not schema.rules
    found = stays.data.rule_suggestions(schema, {})
    texts = [each.text for each in found]
    assert texts.count("admitted <= discharged") == 0, "three of 480 are too many"
    text = next(each for each in texts if each.startswith("if (age < "))
    place = texts.index(text)
    assert page.button(key=f"rule-adopt-{place}").disabled
    page.selectbox(key=f"rule-source-{text}").set_value("law").run()
    page.button(key=f"rule-adopt-{place}").click().run()
    (rule,) = session_of(page).settings.require_schema().rules
    assert (rule.text, rule.origin) == (text, "law")


def test_rules_that_went_with_a_column_are_named(
    opened: Opened, said: Said, stays: Session
) -> None:
    schema = stays.settings.require_schema()
    rules = (Rule(text='if (age < 16) marital == "single"', origin="law"),)
    stays.describe(schema.with_rules(rules))
    stays.leave_out("marital")
    assert "1 rule went with the columns that are no longer used" in said(opened("data", stays))


def _with(session: Session, schema: object) -> Session:
    session.describe(schema)  # type: ignore[arg-type]
    return session


def test_the_first_schema_has_no_rules() -> None:
    assert not suggest_first_schema(read_table(stays_csv(), name="stays.csv")).schema.rules


def _upload(page: AppTest, content: str) -> AppTest:
    page.selectbox(key="rule-file-source").set_value("questionnaire").run()
    uploader = next(each for each in page.file_uploader if each.label == "A file of rules")
    return uploader.upload("rules.R", content.encode()).run()


def test_rules_of_a_file_are_added_and_the_others_named(
    opened: Opened, said: Said, stays: Session
) -> None:
    page = opened("data", stays)
    uploader = next(each for each in page.file_uploader if each.label == "A file of rules")
    assert uploader.disabled
    page = _upload(
        page, "admitted <= discharged\nif (age < 16)\n  marital == 'single'\nmean(age) > 3\n"
    )
    assert not page.exception
    assert session_of(page).settings.require_schema().rules == (
        Rule(text="admitted <= discharged", origin="questionnaire"),
        Rule(text="if (age < 16) marital == 'single'", origin="questionnaire"),
    )
    assert "2 rules added from the file." in said(page)
    assert "Not used: Line 4:" in said(page)


def test_a_file_whose_rules_leave_nothing_is_not_taken(
    opened: Opened, said: Said, stays: Session
) -> None:
    page = _upload(opened("data", stays), "marital == 'single'\nmarital == 'married'")
    assert not page.exception
    assert not session_of(page).settings.require_schema().rules
    assert "No record can meet these rules together" in said(page)


def test_the_length_of_stay_is_kept_with_one_click(
    opened: Opened, said: Said, stays: Session
) -> None:
    schema = stays.settings.require_schema()
    code = MissingCode(values=("-",), label="unknown")
    end = schema.column("discharged").changed(missing=True, missing_codes=(code,))
    rules = ("admitted <= discharged", "discharged - admitted <= 30")
    ruled = schema.replace(end).with_rules([Rule(text=text, origin="law") for text in rules])
    stays.describe(ruled)
    stays.rule_draft = RuleDraft()
    page = opened("data", stays)
    assert "days after *admitted*, in these ranges: 0; 1; 2 to 3; 4 to 7; 8 to 15; 16 to 30" in (
        said(page)
    )
    page.button(key="rule-0-follow").click().run()
    assert not page.exception
    session = session_of(page)
    recoded = session.settings.require_schema()
    assert session.column == "discharged after admitted" in recoded.names
    assert "is modelled as days after *admitted*, in these ranges: 0; 1; 2 to 3" in said(page)
    assert "**3** of 480 rows of the table break it." in said(page)
    fitting = session.data.fitting(recoded.column(session.column), recoded)
    assert fitting.counts[:6].tolist() == [95, 95, 95, 96, 96, 0]
    assert "discharged" not in session.left_out
    assert len(session.records()) == 477
    # What becomes of records is said of the columns of the file.
    assert "have discharged set to “missing: unknown”" in page.selectbox(key="rule-instead").options
    page.button(key="recoding-drop-rule-0-discharged").click().run()
    assert not page.exception
    assert session_of(page).settings.require_schema() == stays.settings.require_schema()
    assert session_of(page).column == "discharged"
