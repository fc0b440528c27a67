"""The JSON Schema of the published settings of a plan, made from the declaration of the plan."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from understudy.mechanisms.companions import UNTAGGED
from understudy.mechanisms.plan import CONFIDENTIAL, TAG, MechanismPlan

_NOISE: Final = ("title", "default", "discriminator")
_ATTRIBUTE: Final = re.compile(r"^ {4}(\w+(?:, \w+)*): (.*(?:\n {8}.*)*)", re.MULTILINE)


def describe_plan(plan: type[MechanismPlan]) -> tuple[dict[str, Any], dict[str, Any]]:
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
        for names, text in _ATTRIBUTE.findall(docstring):
            for name in names.split(", "):
                if name in found["properties"]:
                    found["properties"][name].setdefault("description", " ".join(text.split()))
    return found
