from __future__ import annotations

import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.table.authoring.settling import set_origin, with_origins
from understudy.table.column import KNOWN, origins_said
from understudy.table.schema import Schema

SCHEMA = category_schema(2, 3, 4)


def origins(schema: Schema) -> list[str]:
    return [each.origin for each in schema.columns]


def test_sources_are_typed_for_some_columns_and_for_the_rest() -> None:
    assert origins(with_origins(SCHEMA, ["codebook", "law=c1, c2"])) == ["codebook", "law", "law"]
    assert origins(with_origins(SCHEMA, ["design=c0"])) == ["design", "", ""]
    assert with_origins(SCHEMA, []) == SCHEMA


@pytest.mark.parametrize("text", ["hearsay", "hearsay=c0", "law=c9", "=c0"])
def test_what_is_no_source_or_no_column_is_refused(text: str) -> None:
    with pytest.raises(Refusal) as refused:
        with_origins(SCHEMA, [text])
    assert refused.value.field == "origin"


def test_a_source_is_kept_in_the_file_and_changes_nothing_that_was_declared() -> None:
    declared = SCHEMA.declare_public("a note")
    said = set_origin(declared, "questionnaire", ["c1"])
    assert said.declared
    assert said.fingerprint == SCHEMA.fingerprint
    assert origins(Schema.from_json(said.to_json())) == ["", "questionnaire", ""]
    assert "origin" not in SCHEMA.to_json()


def test_how_many_came_from_where() -> None:
    assert origins_said(["", ""]) == ""
    assert origins_said(["law", "", "codebook", "law"]) == (
        "Where it is known what the 4 columns may contain: 1 from a published codebook, 2 from a "
        "law or regulation, 1 not said."
    )
    assert all(each in origins_said([each]) or origins_said([each]) for each in KNOWN)
