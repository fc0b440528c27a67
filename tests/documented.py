"""Command blocks of the documents, and what they need so that they can be run as they stand."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from understudy.samples import census, discharges
from understudy.table.schema import Schema

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("sample_data/*.md")])

_BEGINS = re.compile(r"(?:\.venv/bin/)?(understudy|make|python|pip) ")
_TOLD = re.compile(r"\s+#.*$|\s{2,}\(.*$")
"""A remark behind a command."""

Make = Callable[[Path], None]
"""Makes a file."""


@dataclass(frozen=True)
class Command:
    """A command of a document.

    Attributes:
        document: its path in the repository.
        heading: the heading that it stands under.
        text: what is typed, in one line.
        refused: whether the document shows that it is refused.
    """

    document: str
    heading: str
    text: str
    refused: bool = False

    @property
    def words(self) -> list[str]:
        """The words after the name of the program."""
        return shlex.split(self.text)[1:]


def commands(document: Path) -> Iterator[Command]:
    """The commands in the blocks of a document, in order."""
    name, heading, fenced = str(document.relative_to(ROOT)), "", False
    lines = document.read_text(encoding="utf-8").replace("\\\n", "\0").splitlines()
    for place, line in enumerate(lines):
        if line.startswith("```"):
            fenced = not fenced
        if line.startswith("#") and not fenced:
            heading = line.lstrip("# ")
        shown = line if fenced else line.removeprefix("    ") if line.startswith("    ") else ""
        text = shown.removeprefix("$ ")
        if _BEGINS.match(text):
            text = _TOLD.sub("", " ".join(part.strip() for part in text.split("\0")))
            after = lines[place + 1].strip() if place + 1 < len(lines) else ""
            yield Command(name, heading, text, after.startswith("understudy: "))


@cache
def every_command() -> tuple[Command, ...]:
    """Those of all documents."""
    return tuple(each for document in DOCUMENTS for each in commands(document))


NOT_RUN: Mapping[str, str] = {
    r"make ": "sets up, tests or measures everything, or starts a server that stays",
    r"\.venv/bin/python -m tests\.mutation": "breaks thousands of programs: hours",
    r"python -m benchmarks\.peers": "compares with packages that are fetched: hours",
    r"pip install": "needs a network",
    r"understudy dashboard": "a server that stays until it is stopped",
    r"understudy audit$": "takes minutes; tests/engine/audit runs its parts",
    r"understudy reproduce (census|pmse|locations|medical)": "takes minutes to hours; "
    "tests/engine/reproduction and those of the methods run smaller ones",
    r"understudy reproduce --table": "takes minutes",
    r"understudy schema --database postgresql": "needs a database server",
    r"understudy synthesize .* --scheduler": "needs a cluster",
    r"understudy synthesize .* --resume 2026": "needs a run that was interrupted",
    r"understudy synthesize .* --model outside:NAME": "needs a package with a model",
    r"understudy traces .*(Geolife|TSMC2014)": "needs a file that others publish",
    r"understudy pictures read faces\.npz": "needs a file that is not ours",
}
"""The commands that are not run, by how they begin, and why."""


def why_not_run(command: Command) -> str | None:
    """Why a command is not run; None if it is."""
    return next((why for text, why in NOT_RUN.items() if re.match(text, command.text)), None)


def census_of(rows: int) -> Make:
    """A simulated census of so many people."""
    return lambda path: census.write(rows, path)


census_file: Make = census_of(2_000)
"""A small one."""


def census_schema(path: Path) -> None:
    """Its schema, declared public."""
    path.write_bytes(census.SCHEMA.read_bytes())


def flags(path: Path) -> None:
    """A table of flags."""
    discharges.write(2_000, path)


def flags_schema(path: Path) -> None:
    """Its schema, declared public."""
    discharges.schema().save(path)


def marked_schema(path: Path) -> None:
    """The schema of flags with a mark, declared public."""
    discharges.schema(marked=True).save(path)


def numbers(path: Path) -> None:
    """A table of numbers."""
    rows = (f"{place % 100},{(place * 7) % 100},{(place * 3) % 10}" for place in range(5_000))
    path.write_text("\n".join(("x,y,z", *rows, "")), encoding="utf-8")


def numbers_schema(path: Path) -> None:
    """Its schema, declared public."""
    fields = [
        {
            "name": name,
            "type": "integer",
            "constraints": {"required": True, "minimum": 0, "maximum": most},
        }
        for name, most in (("x", 99), ("y", 99), ("z", 9))
    ]
    Schema.from_json(json.dumps({"fields": fields})).declare_public("Made for this.").save(path)


def positions(path: Path) -> None:
    """Positions of a few people in Vienna."""
    rows = [
        f"{person},2024-05-{day:02} {hour:02}:00:00,{48.15 + person / 100},{16.3 + hour / 100}"
        for person in range(5)
        for day in range(1, 15)
        for hour in range(24)
    ]
    path.write_text("\n".join(("person,time,latitude,longitude", *rows, "")), encoding="utf-8")


def typed(*texts: str) -> tuple[Command, ...]:
    """Commands of no document."""
    return tuple(Command("", "", text) for text in texts)


@dataclass(frozen=True)
class Play:
    """The commands of a document, or of what stands under one heading, run one after another.

    Attributes:
        document, heading: which; all of the document without a heading.
        files: what has to be there, by name.
        before: what has to be typed before.
        smaller: what is put in place of what, by regular expression, so that it takes less time.
        long: whether it takes more than a few seconds all the same.
    """

    document: str
    heading: str = ""
    files: Mapping[str, Make] = field(default_factory=dict)
    before: tuple[Command, ...] = ()
    smaller: Mapping[str, str] = field(default_factory=dict)
    long: bool = False

    @property
    def commands(self) -> tuple[Command, ...]:
        """Its commands that are run."""
        return tuple(each for each in every_command() if self.has(each) and not why_not_run(each))

    def has(self, command: Command) -> bool:
        """Whether a command is one of its."""
        under = not self.heading or command.heading.startswith(self.heading)
        return command.document == self.document and under

    def typed(self, command: Command) -> str:
        """What is typed of a command."""
        text = command.text
        for found, instead in self.smaller.items():
            text = re.sub(found, instead, text)
        return text
