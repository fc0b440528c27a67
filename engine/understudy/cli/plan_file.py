"""Plans as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from understudy.cli.output import read_text
from understudy.core.files import disk_refusal
from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from understudy.mechanisms.plan import MechanismPlan


def read_plan(path: Path) -> MechanismPlan:
    """Return the plan in a file.

    Raises:
        Refusal: there is none.
    """
    from understudy.mechanisms.registry import plan_from_json

    return plan_from_json(read_text(path, "the plan"))


def write_plan(plan: MechanismPlan, path: Path) -> None:
    """Write a plan to a file, unless it holds something else.

    Raises:
        Refusal: it does, or cannot be written; of the field “save_plan”.
    """
    text = plan.to_json()
    if path.exists() and read_text(path, "the plan") != text:
        raise Refusal(
            f"{path} holds something else already, and is not overwritten.",
            "Choose another name, or remove it first.",
            field="save_plan",
        )
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise disk_refusal(error, path) from None
