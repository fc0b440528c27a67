"""A verb of the command line: how what is typed after it is read, and what interrupts it."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

import typer
from typer.core import TyperCommand

from understudy.core.refusal import Refusal
from understudy.mechanisms.kinds import Choice, Kind, Number, Whole

_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class CommandCancelled(Exception):
    """The user stopped the command."""

    def __init__(self, sentence: str = "Cancelled.") -> None:
        super().__init__(sentence)


class Interruption:
    """Counts the signals that ask the command to end, while it is entered.

    Attributes:
        times: how many have come.
    """

    def __init__(self) -> None:
        self.times = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interruption:
        for number in _SIGNALS:
            self._before[number] = signal.signal(number, self._note)
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.times += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


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
            raise CommandCancelled from None

    def _option(self, ctx: Any, field: str | None) -> str | None:
        """Return the option for a field such as "test.gamma", "model.epsilon" or
        "seeds_at_least"."""
        if field is None:
            return None
        parts = field.replace("_", "-").split(".")
        known = {name for each in self.get_params(ctx) for name in each.opts}
        names = ("-".join(parts), parts[-1], parts[0])
        return next((f"--{name}" for name in names if f"--{name}" in known), None)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options section by section, in the order they are declared in."""
        sections: dict[str, list[tuple[str, str]]] = {}
        options: list[Any] = self.get_params(ctx)
        for each in options:
            # The help of each says its default in its own words.
            each.show_default = False
            record = each.get_help_record(ctx)
            if record is not None:
                title = getattr(each, "rich_help_panel", None) or "Options"
                # What follows the name of an argument is its type in Python.
                name = record[0].partition(" <")[0]
                sections.setdefault(title, []).append((name, record[1]))
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


def parser(kind: Kind) -> Callable[[Any], Any]:
    """Return a reader of values of a kind from what is typed."""

    def read(typed: Any) -> Any:
        if not isinstance(typed, str):
            return typed
        try:
            return kind.read(typed)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return read


whole_type = parser(Whole())
"""Read a whole number."""

number_type = parser(Number())
"""Read a number."""


def one_of_type(*choices: str) -> Callable[[Any], Any]:
    """Return a reader of one of some words."""
    return parser(Choice(dict(zip(choices, choices, strict=True))))


def whole_option(name: str, metavar: str, said: str) -> Any:
    """Return the option of a whole number.

    Args:
        name: without its dashes.
        metavar: what stands for the number in the help.
        said: its help.
    """
    return typer.Option(f"--{name}", metavar=metavar, parser=whole_type, help=said)
