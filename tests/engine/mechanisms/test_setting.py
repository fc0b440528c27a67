"""A setting is declared once: all that shows one has it, of every method, and of a new one too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest

from tests.engine.mechanisms.opening import open_plan
from understudy.cli import main
from understudy.mechanisms.fields import Field, FieldTable, nest_settings
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.mechanisms.plan import CONFIDENTIAL, TAG, MechanismPlan, list_all_settings
from understudy.mechanisms.pmse.plan import PmsePlan
from understudy.mechanisms.registry import mechanisms, method_named, opening_plan, plan_run
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.setting import COST, complete_table, declare_setting, derive_fields
from understudy.report.guarantee_file import describe_plan_schema
from understudy.report.papers import find_papers

KINDS = sorted(mechanisms())


def written(plan: MechanismPlan) -> Iterator[str]:
    """The dotted name of every setting in a plan file, a set of settings by name as one."""
    table = method_named(plan.kind).fields
    for each in list_all_settings([plan]):
        if each.setting not in (TAG, *table.derived):
            yield each.setting


@cache
def fields_of(kind: str) -> FieldTable:
    return method_named(kind).fields


@pytest.mark.parametrize("kind", KINDS)
def test_every_setting_of_a_plan_is_one_of_its_fields(kind: str) -> None:
    table, (_, plan) = fields_of(kind), open_plan(kind)
    for name in written(plan):
        found = table.at(name)
        assert found is not None, name
        labels = [place.label or found.words.listed for place in found.places]
        assert table.label_setting(name).startswith(tuple(labels)), name


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_says_what_it_is_and_what_may_be_written_for_it(kind: str) -> None:
    for each in fields_of(kind):
        assert each.words.label, each.name
        assert each.words.meaning.endswith((".", "…")), each.name
        assert each.words.help.endswith((".", "…")) or each.stands == "elsewhere", each.name
        assert all(place.taken for place in each.places), each.name


@pytest.mark.parametrize(
    ("kind", "name", "taken", "default"),
    [
        ("imputation", "rows", "a whole number of rows from 1 to 1,000,000", "1,000"),
        ("imputation", "strength", "a number of records above 0, up to 10,000,000", "10"),
        ("latent", "delta", "a number from 1e-30 to less than 1", "1e-9"),
        ("latent", "public_records", "a whole number of 1 or more", "Nobody has said"),
        ("latent", "model", "factors, principal or variational", "factors"),
        ("plausible-traces", "seeds", "a number above 0 and below 1", "0.45"),
        ("pmse", "order", 'columns, such as ["A", "B"]', "As in the table"),
        ("scored", "test.k", "a whole number", "50"),
        ("seedbased", "k", "a whole number of records", "50"),
        ("seedbased", "target", "a column", "none"),
        ("seedbased", "noisy_tables", "true or false", "false"),
    ],
)
def test_what_may_be_written_follows_from_type_range_and_unit(
    kind: str, name: str, taken: str, default: str
) -> None:
    (place,) = fields_of(kind)[name].places
    assert (place.taken, place.default) == (taken, default)


@pytest.mark.parametrize("kind", KINDS)
def test_help_lists_every_setting_with_its_label_and_values(
    kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["method", kind, "--help"]) == 0
    said = capsys.readouterr().out
    names = {line.split()[0] for line in said.splitlines() if line.startswith("  ")}
    # Lines are broken at blanks and after hyphens.
    plain = "".join(said.split())
    for each in fields_of(kind):
        for place in each.places:
            stated = f"{place.label or each.words.listed}. {each.words.meaning} ({place.taken}"
            assert place.path in names
            assert "".join(stated.split()) in plain


def test_help_lists_no_settings_where_no_method_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["method", "--help"]) == 0
    assert "by --set" not in capsys.readouterr().out


@pytest.mark.parametrize("kind", KINDS)
def test_every_setting_can_be_given_by_its_name(kind: str) -> None:
    schema, plan = open_plan(kind)
    whole = {TAG: kind, **plan.model_dump(mode="json")}
    for name in written(plan):
        given = nest_settings({name: _along(whole, name)})
        assert opening_plan(kind, schema, given) == plan, name


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_states_every_setting_that_has_a_use_by_its_label(kind: str) -> None:
    schema, plan = open_plan(kind)
    table = fields_of(kind)
    values = table.values(plan, len(schema))
    stated = {each.name: each for each in find_papers(kind).settings(plan_run(plan, schema))}
    for each in table:
        used = [values[place.name] not in (None, False, (), {}) for place in each.places]
        said = each.choose_words(values)
        if each.confidential:
            assert said.brief not in stated
        elif each.applies(values) and any(used):
            assert stated[said.brief].value == each.show_among(values)
            assert stated[said.brief].meaning == said.meaning


@pytest.mark.parametrize("kind", KINDS)
def test_statements_describe_every_setting(kind: str) -> None:
    described, _ = describe_plan_schema(method_named(kind).plan)
    for name, each in described["properties"].items():
        inner = "$ref" in each or name in (TAG, "domain")
        assert inner or each["description"], name
    assert not CONFIDENTIAL & described["properties"].keys()


class MoreOfLatent(LatentPlan, what="the plan"):
    fresh: int = declare_setting(3, "Freshness", "How fresh rows are.", group=COST, ge=1, le=9)


class MoreOfPmse(PmsePlan, what="the plan"):
    fresh: int = declare_setting(3, "Freshness", "How fresh rows are.", group=COST, ge=1, le=9)


class MoreOfSeedbased(Plan, what="the plan"):
    fresh: int = declare_setting(3, "Freshness", "How fresh rows are.", group=COST, ge=1, le=9)


@pytest.mark.parametrize(
    ("plan", "table"),
    [
        (MoreOfLatent, derive_fields(MoreOfLatent)),
        (MoreOfPmse, derive_fields(MoreOfPmse)),
        (MoreOfSeedbased, complete_table(FIELDS, MoreOfSeedbased)),
    ],
)
def test_a_new_setting_is_a_field_by_its_declaration_alone(
    plan: type[MechanismPlan], table: FieldTable
) -> None:
    fresh = table["fresh"]
    (place,) = fresh.places
    assert (fresh.words.label, fresh.words.meaning) == ("Freshness", "How fresh rows are.")
    assert (place.taken, place.default) == ("a whole number from 1 to 9", "3")
    assert fresh in table.within(COST)
    assert table.label_setting("fresh") == "Freshness"
    assert "How fresh rows are." in {
        each.meaning for each in table.state_settings({"fresh": 3} | _no(table))
    }
    described = describe_plan_schema(plan)[0]["properties"]["fresh"]
    assert described == {
        "type": "integer", "minimum": 1, "maximum": 9, "description": "How fresh rows are.",
    }  # fmt: skip


def test_a_setting_follows_the_one_that_it_names() -> None:
    names = [each.name for each in fields_of("pmse").within(COST)]
    assert names.index("delta") == names.index("accounting") + 1


def test_what_has_no_use_is_not_asked_for() -> None:
    table = fields_of("pmse")
    assert not table["delta"].applies({"accounting": "pure"})
    assert table["delta"].applies({"accounting": "concentrated"})
    assert not table["price"].applies({"partitions": "stump"})
    assert not table["locating"].applies({"search": "whole"})


def _no(table: FieldTable) -> dict[str, Any]:
    """What leaves every other setting of a table unsaid."""
    others: list[Field] = [each for each in table if each.name != "fresh"]
    return {place.name: None for each in others for place in each.places} | {"kind": "network"}


def _along(settings: Mapping[str, Any], path: str) -> Any:
    found: Any = settings
    for name in path.split("."):
        found = found[name]
    return found
