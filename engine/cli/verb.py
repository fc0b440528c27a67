"""A verb of the command line, and how what is typed after it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperCommand

from engine.cli.interruption import Cancelled
from engine.core.refusal import Refusal


@dataclass(frozen=True)
class Noise:
    """A number that may be left out on purpose: None where somebody typed “none”."""

    value: float | None


class Verb(TyperCommand):
    """A command whose help is in sections, and whose refusals name the option they are about."""

    def invoke(self, ctx: Any) -> Any:
        """Run the verb.

        Raises:
            Refusal: what the engine refused, after the name of the option, where it is one.
            Cancelled: the user pressed Ctrl-C.
        """
        try:
            return super().invoke(ctx)
        except Refusal as refusal:
            option = self._option(ctx, refusal.field)
            if option is None:
                raise
            raise Refusal(
                f"{option}: {refusal.problem}", refusal.remedy, field=refusal.field
            ) from None
        except KeyboardInterrupt:
            raise Cancelled from None

    def _option(self, ctx: Any, field: str | None) -> str | None:
        """The option for a field such as "test.gamma", "model.epsilon" or "seeds_at_least"."""
        if field is None:
            return None
        parts = field.replace("_", "-").split(".")
        known = {name for each in self.get_params(ctx) for name in each.opts}
        names = ("-".join(parts), parts[-1], parts[0])
        return next((f"--{name}" for name in names if f"--{name}" in known), None)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options section by section, in the order they are declared in."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for each in self.get_params(ctx):
            record = each.get_help_record(ctx)
            if record is not None:
                title = getattr(each, "rich_help_panel", None) or "Options"
                # What follows the name of an argument is its type in Python.
                name = record[0].partition(" <")[0]
                sections.setdefault(title, []).append((name, record[1]))
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


def whole(text: str | int) -> int:
    """Read a whole number."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"“{text}” is not a whole number.") from None


def number(text: str | float) -> float:
    """Read a number."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"“{text}” is not a number.") from None


def noise(text: str | Noise) -> Noise:
    """Read a number, or the word “none”."""
    if isinstance(text, Noise):
        return text
    if text.strip().lower() == "none":
        return Noise(None)
    try:
        return Noise(float(text))
    except ValueError:
        raise typer.BadParameter(f"“{text}” is neither a number nor “none”.") from None


def one_of(*choices: str) -> Callable[[str], str]:
    """A reader of one of some words."""

    def word(text: str) -> str:
        if text not in choices:
            raise typer.BadParameter(f"“{text}” is not {' or '.join(choices)}.")
        return text

    return word
