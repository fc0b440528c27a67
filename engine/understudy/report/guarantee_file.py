"""The statement of the guarantee as a value that is made from a plan, and from nothing else.

Its JSON Schema describes the settings of the plan as the plan itself declares them.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final, final

from understudy.core.refusal import Refusal
from understudy.mechanisms.companions import UNTAGGED
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plan import CONFIDENTIAL, TAG, MechanismPlan
from understudy.mechanisms.registry import mechanisms, plan_of, plan_run
from understudy.mechanisms.setting import read_attributes
from understudy.mechanisms.statement import (
    ReleasedFile,
    alone,
    bind_release,
    stated_outputs,
    statement,
)
from understudy.privacy.budget import Neighbours
from understudy.table.schema import Schema

_NOISE: Final = ("title", "default", "discriminator")


def describe_plan_schema(plan: type[MechanismPlan]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the schema of published plans, and the definitions that it refers to, by name.

    A setting that has a default need not be there, so that statements stay valid that were made
    before there was the setting.

    Args:
        plan: the plan of a method.
    """
    made = plan.model_json_schema(mode="serialization", ref_template="#/$defs/{model}")
    definitions = {name: _clean(each) for name, each in made.pop("$defs", {}).items()}
    schema = _clean(made)
    for name in CONFIDENTIAL:
        schema["properties"].pop(name, None)
    schema["properties"]["domain"] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
    schema["properties"] = {TAG: {"const": plan.kind}, **schema["properties"]}
    if plan.kind != UNTAGGED:
        schema["required"] = [TAG, *schema["required"]]
    return schema, definitions


def _clean(node: Any) -> Any:
    """Return a node without what a library wrote for itself; docstrings become descriptions."""
    if isinstance(node, list):
        return [_clean(each) for each in node]
    if not isinstance(node, Mapping):
        return node
    found = {name: _clean(each) for name, each in node.items() if name not in _NOISE}
    if isinstance(node.get("properties"), Mapping):
        # A setting may be called like a word of JSON Schema.
        found["properties"] = {name: _clean(each) for name, each in node["properties"].items()}
        docstring = str(node.get("description", ""))
        found["description"] = " ".join(docstring.split("\n\n")[0].split())
        for name, text in read_attributes(docstring).items():
            if name in found["properties"]:
                found["properties"][name].setdefault("description", text)
    return found


SCHEMA_NAME: Final = "guarantee.schema.json"
_WIDTH: Final = 78
_HASH: Final = re.compile(r"[0-9a-f]{64}")


@final
@dataclass(frozen=True)
class Statement:
    """What is promised about a release.

    Attributes:
        plan: what was run, without how stray values were settled, which tells that there were any.
        schema: what was declared public.
        released: the files that the run wrote, one for each of its outputs, in their order.
        stained: whether a fixed seed was used.
        decided: the plan with what follows from it.
        said: all of it, as one JSON object; see `understudy.mechanisms.statement`.

    Raises:
        TypeError: something else is handed in.
        Refusal: nobody declared the schema public, or confirmed the number of records that is
            called public; the plan was made for another schema, or releases other outputs.
    """

    plan: MechanismPlan
    schema: Schema
    released: tuple[ReleasedFile, ...]
    stained: bool
    decided: PlannedRun = field(init=False, repr=False, compare=False)
    said: Mapping[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        _check_types(self)
        # Read anew, they hold what such files can hold and nothing that was slipped in.
        plan = plan_of(self.plan.publish())
        schema = Schema.from_json(self.schema.to_json())
        if not schema.declared:
            raise Refusal(
                "Nobody has declared the schema of this run public.",
                "Confirm it on the Data page and run again; a table whose domains nobody answers "
                "for cannot be released.",
                field="schema",
            )
        made = plan_run(plan, schema)
        _check_outputs(self.released, made)
        if not self.stained:
            made.mechanism.check_public(made)
        said = statement(made, self.released, stained=self.stained)
        object.__setattr__(self, "plan", plan)
        object.__setattr__(self, "schema", schema)
        object.__setattr__(self, "decided", made)
        object.__setattr__(self, "said", said)

    @property
    def tables(self) -> tuple[ReleasedFile, ...]:
        """The files of tables."""
        return tuple(each for each in self.released if each.rows is not None)

    @property
    def figures(self) -> tuple[ReleasedFile, ...]:
        """The files of figures."""
        return tuple(each for each in self.released if each.rows is None)

    @property
    def sha256(self) -> str:
        """What binds all of them; see `bound`."""
        return bind_release({each.output: each.sha256 for each in self.released})

    @property
    def alone(self) -> bool:
        """Whether it is about one synthetic table and nothing else."""
        return alone(self.said)

    def to_json(self) -> str:
        """Return the statement as a run writes it."""
        return json.dumps(self.said, indent=2, ensure_ascii=False) + "\n"


def _check_types(found: Statement) -> None:
    exact = (
        type(found.plan) in {each.plan for each in mechanisms().values()}
        and type(found.schema) is Schema
        and type(found.stained) is bool
        and type(found.released) is tuple
        and len(found.released) > 0
        and all(_is_plain(each) for each in found.released)
    )
    if not exact:
        raise TypeError("a statement is made from a plan, a schema, counts and hashes only")


def _is_plain(found: ReleasedFile) -> bool:
    return (
        type(found) is ReleasedFile
        and type(found.output) is str
        and type(found.rows) in (int, type(None))
        and type(found.sha256) is str
        and _HASH.fullmatch(found.sha256) is not None
    )


def _check_outputs(released: Sequence[ReleasedFile], made: PlannedRun) -> None:
    """Check that a statement is about what its plan releases."""
    stated = [(each.output, each.rows is not None) for each in released]
    if stated != [(each.name, each.kind == "table") for each in made.outputs]:
        raise Refusal(
            "The statement is about other outputs than its plan releases.",
            "Put back the files of the release, or choose another run.",
            field="outputs",
        )


@cache
def json_schema(kind: str, *, alone: bool = True) -> str:
    """Return the JSON Schema of the statement of a method, as text.

    Args:
        kind: of the method. Of a method that is not installed, the schema says of the plan only
            that there is one.
        alone: whether the statement is about one synthetic table and nothing else.
    """
    found = json.loads(files("understudy.report").joinpath(SCHEMA_NAME).read_text(encoding="utf-8"))
    own = found["$defs"]
    method = mechanisms().get(kind)
    own["plan"], beside = (_PLAN, {}) if method is None else describe_plan_schema(method.plan)
    own |= beside
    if kind != UNTAGGED or not alone:
        found["properties"]["outputs"] = _OUTPUTS if alone else _ANY_OUTPUTS
    if not alone:
        found["properties"]["table"] = {"anyOf": [{"$ref": "#/$defs/table"}, {"type": "null"}]}
    if kind != UNTAGGED:
        found["else"] = {}
        own["parts"] = own["published"] = {"type": "object"}
        own["guarantee"]["properties"] |= _ANY
    elif not alone:
        own["parts"]["properties"]["acceptance"] = {"$ref": "#/$defs/budget"}
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


_OUTPUTS: Final = {
    "type": "object",
    "description": "The files of figures beside the table, by their names without “.json”.",
    "additionalProperties": {
        "type": "object",
        "properties": {"sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"}},
        "required": ["sha256"],
        "additionalProperties": False,
    },
}
_ANY_OUTPUTS: Final = {
    "type": "object",
    "description": "Every file but that of a table named “synthetic”, by the name of its output.",
    "additionalProperties": {
        "anyOf": [{"$ref": "#/$defs/table"}, _OUTPUTS["additionalProperties"]],
    },
}
_PLAN: Final = {
    "type": "object",
    "properties": {TAG: {"type": "string", "minLength": 1}, "domain": {"type": "string"}},
    "required": [TAG, "domain"],
    "description": "The settings, with the method that they are for.",
}
_ANY: Final = {
    "neighbours": {
        "enum": [str(Neighbours.TABLES), str(Neighbours.REPLACEMENTS)],
        "description": "Between what ε, δ and the beliefs hold: tables with a person's records "
        "added or removed, or replaced by others.",
    },
    "protocol": {"type": "string", "description": "What of a run stays hidden."},
    "test": {"type": ["object", "null"]},
}


def statement_text(said: Mapping[str, Any]) -> str:
    """Return a statement in plain words."""
    return "\n".join(_lines(said)) + "\n"


def _lines(said: Mapping[str, Any]) -> Iterator[str]:
    guarantee = said["guarantee"]
    whole = alone(said)
    yield f"WHAT IS PROMISED ABOUT THIS {'TABLE' if whole else 'RELEASE'}"
    yield ""
    if "stain" in said:
        yield from _wrap(said["stain"])
        yield ""
    else:
        yield from _promise_lines(guarantee)
    yield from _of_table(said["table"]) if whole else _of_outputs(said)
    declared = said["declared_public"]
    if declared is not None:
        yield from _heading_lines("Declared public")
        yield from _wrap(
            "What the columns may contain, and their buckets, was confirmed to be public "
            f"knowledge on {declared['at'][:10]}."
        )
        if declared["note"]:
            yield from _wrap(f"In the custodian’s words: “{declared['note']}”")
    yield ""
    yield f"Made by {said['made_by']}."


def _of_table(table: Mapping[str, Any]) -> Iterator[str]:
    yield from _heading_lines("The table")
    yield from _wrap(f"{table['rows']:,} records, {len(table['columns']):,} columns.")
    yield from _wrap(f"SHA-256 of the table as it was made: {table['sha256']}")
    if "formulas" in table:
        yield from _wrap(table["formulas"])


def _of_outputs(said: Mapping[str, Any]) -> Iterator[str]:
    yield from _heading_lines("What was released")
    for name, each in stated_outputs(said).items():
        held = "figures."
        if "rows" in each:
            held = f"a table of {each['rows']:,} records, {len(each['columns']):,} columns."
        yield from _wrap(f"{name}: {held} SHA-256 of the file as it was made: {each['sha256']}")
    notes = {each["formulas"]: None for each in stated_outputs(said).values() if "formulas" in each}
    for note in notes:
        yield from _wrap(note)


def _promise_lines(guarantee: Mapping[str, Any]) -> Iterator[str]:
    yield from _wrap(guarantee["statement"])
    if guarantee["epsilon"] is not None:
        # Every digit, so that the text says what the JSON says.
        yield from _heading_lines("In figures")
        yield f"  ε = {guarantee['epsilon']!r}"
        yield f"  δ = {guarantee['delta']!r}"
    if guarantee["population"] is not None:
        yield from _heading_lines("The population")
        yield from _wrap(guarantee["population"]["statement"])
        yield f"  ε = {guarantee['population']['epsilon']!r}"
        yield f"  δ = {guarantee['population']['delta']!r}"
    yield from _heading_lines("Who is protected")
    yield from _wrap(guarantee["protects"])
    yield from _heading_lines("What it covers")
    yield from _wrap(guarantee["covers"])
    yield from _heading_lines("What is compared")
    yield from _wrap(f"{guarantee['compares'][:1].upper()}{guarantee['compares'][1:]}.")
    for heading, key in (
        ("What a reader may see", "reader_sees"),
        ("What it rests on", "assumes"),
        ("What it does not cover", "not_covered"),
    ):
        if guarantee[key]:
            yield from _heading_lines(heading)
        for each in guarantee[key]:
            yield from _wrap(each, "  - ")
    if guarantee["formula"]:
        yield from _heading_lines("How the total follows")
        for each in guarantee["formula"]:
            yield from _wrap(f"For {each['of']}: {each['text']}", "  - ")


def _heading_lines(heading: str) -> tuple[str, ...]:
    return ("", heading, "-" * len(heading))


def _wrap(text: str, mark: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=mark,
        subsequent_indent=" " * len(mark),
        break_long_words=False,
        break_on_hyphens=False,
    )
