"""The verdict on a packet: the outcome of each check, and of all of them together.

As the source of a packet is not trusted, it is checked in a limited process of its own.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO, Final, Literal

from understudy.core.display import Shown, ShowsItself
from understudy.core.refusal import Refusal
from understudy.core.sandbox import Ended, SandboxBounds, run_in_sandbox

State = Literal["passed", "failed", "skipped"]

Outcome = Literal["passed", "another version", "failed"]
"""Of all checks: each passed; none failed, but another version has to make some; one failed."""

TITLES: Final[Mapping[str, str]] = {
    "files": "Every file is there, and no other",
    "wrapping": "Nothing is packed beside the files",
    "hashes": "Every file has the hash that was noted",
    "form": "The title page is in the form of a packet",
    "statement-schema": "The guarantee is in the form of its JSON Schema",
    "plan": "The settings are complete, and those that the guarantee names",
    "schema": "The schema was declared public, and is the one that the settings are for",
    "total": "The stated total follows from the stated settings",
    "statement": "The guarantee says what follows from settings and schema, and nothing else",
    "text": "The guarantee in words says what the guarantee for programs says",
    "table": "Each table has the stated rows and hash, and every value is in its declared domain",
    "rules": "Every row keeps every declared rule that was not set aside",
    "totals": "As many rows as known totals say are in each of their cells",
    "parquet": "Each Parquet file holds the same table",
    "figures": "The figures are those that were released",
    "ledger": "The ledger extract is of this run, and its sums are consistent",
    "documents": "Report, dictionary and data package are what these facts make",
}
"""The checks in their order, each as a sentence that is true where it passed."""

_MARKS: Final = {"passed": "ok", "failed": "FAILED", "skipped": "not checked"}

CAVEAT: Final = (
    "It says that another version of Understudy made it, so its words, the report among them, "
    "could not be checked here. Check it with that version before you rely on what they say."
)


@dataclass(frozen=True)
class PacketCheck:
    """One check of a packet.

    Attributes:
        key: names it, as in `TITLES`.
        state: how it went; skipped where what it needs is missing or damaged, or where another
            version of the program would be needed.
        said: what was found, in a sentence.
        elsewhere: whether it was left to the version of the program that the packet names.
    """

    key: str
    state: State
    said: str
    elsewhere: bool = False

    @property
    def title(self) -> str:
        """What is true where it passed."""
        return TITLES[self.key]


@dataclass(frozen=True, repr=False)
class PacketVerdict(ShowsItself):
    """How all checks of a packet went.

    Attributes:
        checks: in the order of `TITLES`.
        stained: whether the packet says that it is a demonstration, which promises nothing.
    """

    checks: tuple[PacketCheck, ...]
    stained: bool

    @property
    def outcome(self) -> Outcome:
        """What all checks come to."""
        if not all(each.state == "passed" or each.elsewhere for each in self.checks):
            return "failed"
        return "another version" if any(each.elsewhere for each in self.checks) else "passed"

    @property
    def passed(self) -> bool:
        """Whether every check was made, and passed."""
        return self.outcome == "passed"

    @property
    def summary(self) -> str:
        """What a reader has to know before the single checks."""
        if self.outcome == "failed":
            return "This packet is not what it says. Do not rely on it."
        if self.outcome == "another version":
            return f"NOT CHECKED IN FULL. {CAVEAT}"
        if self.stained:
            return (
                "The packet is whole, and a demonstration: its table is not private, and nothing "
                "is promised about it."
            )
        return (
            "The packet is whole, and its total follows from its settings. Whether what the "
            "promise rests on is true, only people can tell: it is listed in the report."
        )

    def lines(self) -> tuple[tuple[str, str, str], ...]:
        """Return of each check how it went, what it is about, and what was found."""
        return tuple((_MARKS[each.state], each.title, each.said) for each in self.checks)

    def describe_itself(self) -> Shown:
        """Return what it shows of itself."""
        return Shown(self.summary, head=("", "Check", "Found"), rows=self.lines())


_MEMORY, _MEMORY_TIMES = 2 << 30, 40
_SECONDS, _BYTES_A_SECOND = 300.0, 50_000
"""What checking may take, and how much more for each byte of the packet."""

Asked = tuple[str, Path]


def verify_apart(path: Path) -> PacketVerdict:
    """Check a packet as `verify.verify` does, in a process of its own.

    Raises:
        Refusal: as there, or it takes more memory or time than a packet of its size does.
    """
    size = _size(path)
    bounds = SandboxBounds(_MEMORY + _MEMORY_TIMES * size, _SECONDS + size / _BYTES_A_SECOND)
    try:
        asked: Asked = (str(Path.cwd()), path)
        return run_in_sandbox("understudy.report.verify", asked, bounds, _receive)
    except Ended as ended:
        why = {"memory": "takes more memory", "time": "takes more time"}.get(ended.why)
        raise Refusal(
            f"{path} {why} to check than any packet of its size does."
            if why
            else f"{path} cannot be checked: what is in it ends the program that reads it.",
            "Do not rely on it. Get the packet again from whoever made it.",
        ) from None


def _size(path: Path) -> int:
    """Return the bytes of a packet, about; 0 where it cannot be told."""
    try:
        files = [path] if path.is_file() else list(path.iterdir())
        return sum(each.stat().st_size for each in files)
    except (OSError, ValueError):
        return 0


def _receive(pipe: BinaryIO) -> PacketVerdict:
    said = json.loads(pipe.read())
    return PacketVerdict(tuple(PacketCheck(**each) for each in said["checks"]), said["stained"])


def make_sender(verdict: PacketVerdict) -> Callable[[BinaryIO], None]:
    """Return a function that writes a verdict into a pipe."""
    data = json.dumps(asdict(verdict)).encode()

    def write(pipe: BinaryIO) -> None:
        pipe.write(data)

    return write


def enter_folder(folder: str) -> None:
    """Change to the folder in which the paths were typed."""
    os.chdir(folder)
