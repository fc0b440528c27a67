"""Command blocks of the documents, and what they need so that they can be run as they stand. What
the commands of the documents are run on, document by document. Every command that a document shows
runs, on small tables; those that cannot are listed with the reason, and are at least complete.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from tests.engine.front.conftest import small_evaluation
from understudy.cli import main
from understudy.cli.application import command
from understudy.projects.catalogue import list_every_run
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
    r"understudy intervals board/": "needs a packet with noisy tables; "
    "tests/engine/cli/test_intervals.py runs it",
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


def rules_of_r(path: Path) -> None:
    """Rules as R's validate has them."""
    path.write_text('if (RELP == "Husband or wife") MAR == "Married"\n', encoding="utf-8")


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


CENSUS: Final = {"census.csv": census_file, "schema.json": census_schema}
CLI: Final = "docs/command-line.md"
FEW: Final = {
    r"--rows \d+": "--rows 500",
    r"--people \d+": "--people 20",
    r"--count \d+": "--count 50",
}
KNOWN: Final = typed(
    "understudy synthesize census.csv --schema schema.json --out known --omega 11 --attempts 300 "
    "--new-people --keep --quiet"
)
PLAN: Final = typed(
    "understudy propose --schema schema.json --epsilon 1 --records 1500 --rows 500 "
    "--save-plan plan.json"
)
CITY: Final = typed("understudy sample city --people 20 --out city.csv")

PLAYS: Final = (
    Play("README.md", smaller={"--rows 1500000": "--rows 2000", "100000": "2000"}),
    Play("sample_data/README.md", smaller=FEW),
    Play(
        CLI,
        "sample",
        smaller=FEW
        | {
            "pictures --out": "pictures --count 50 --out",
            "(hospital|questionnaire) --out": r"\1 --rows 50 --out",
        },
    ),
    Play(CLI, "traces", files={"positions.csv": positions}),
    Play(
        CLI,
        "pictures",
        before=typed(
            "understudy sample pictures --count 1000 --out shapes.npz",
            "understudy pictures read shapes.npz --out t.csv --schema s.json --height 8 --width 8 "
            "--white 16 --labels disc,square,cross,bar,stroke",
            'understudy schema t.csv --out s.json --declare-public --note "Simulated." '
            "--origin design",
            "understudy method latent --schema s.json --set rows=200 --save-plan p.json",
            "understudy synthesize t.csv --schema s.json --plan p.json --out out --new-people "
            "--keep --quiet",
        ),
    ),
    Play(CLI, "fakes", before=CITY),
    Play(
        CLI,
        "schema",
        files={"census.csv": census_file},
        before=typed("understudy sample hospital --rows 900 --out hospital.csv"),
    ),
    Play(CLI, "rules", files=CENSUS | {"rules.R": rules_of_r}),
    Play(CLI, "propose", files=CENSUS),
    Play(CLI, "plan"),
    Play(CLI, "synthesize", files=CENSUS | {"census.csv": census_of(100_000)}, long=True),
    Play(CLI, "evaluate", files=CENSUS, before=KNOWN, smaller={"20000": "500"}),
    Play(CLI, "account"),
    Play(CLI, "acceptance", files=CENSUS, before=PLAN),
    Play(CLI, "ledger", files=CENSUS, before=PLAN),
    Play(CLI, "reproduce"),
    Play(CLI, "packet", files=CENSUS, before=KNOWN),
    Play(CLI, "export", files=CENSUS, before=KNOWN, smaller={"export release": "export known"}),
    Play(
        CLI,
        "attempts",
        files={"flags.json": flags_schema},
        before=typed(
            "understudy method scored --schema flags.json --set proposer=projection "
            "--set public_records=50000 --save-plan plan.json"
        ),
    ),
    Play(
        CLI,
        "method",
        files={"people.csv": census_of(60_000), "schema.json": census_schema},
    ),
    Play("docs/evaluation.md", files=CENSUS, before=KNOWN, long=True),
    Play(
        "docs/evaluation-of-days.md",
        before=(
            *typed("understudy sample city --people 700 --out city.csv"),
            *typed(
                "understudy method traces --schema sample_data/city.schema.json --set traces=100 "
                "--set km_a_slot=2.5 --save-plan plan.json",
                "understudy synthesize city.csv --schema sample_data/city.schema.json "
                "--plan plan.json --out out --new-people --keep --quiet",
            ),
        ),
        long=True,
    ),
    Play("docs/imputation.md", files={"table.csv": census_of(1_543), "s.json": census_schema}),
    Play(
        "docs/latent.md",
        "Latent models",
        files={"table.csv": flags, "schema.json": flags_schema},
        smaller={"public_records=60000": "public_records=2000 --set rows=200"},
    ),
    Play("docs/latent.md", "Two readings", files={"flags.json": flags_schema}),
    Play("docs/latent.md", "A model's own", files={"flags.json": flags_schema}),
    Play("docs/latent.md", "A sub-population", files={"discharges.json": marked_schema}),
    Play("docs/models.md", "Numbers projected", files={"schema.json": numbers_schema}),
    Play("docs/packet.md", files=CENSUS, before=KNOWN, smaller={"DIR": "packets"}),
    Play("docs/pictures.md", long=True),
    Play("docs/plausible-traces.md", long=True),
    Play(
        "docs/pmse.md",
        "The pMSE mechanism",
        files={"table.csv": numbers, "schema.json": numbers_schema},
        long=True,
    ),
    Play(
        "docs/projects.md",
        files={"survey.csv": census_file, "schema.json": census_schema},
        smaller={"--out release": "--out release --attempts 300 --omega 11 --quiet"},
    ),
    Play(
        "docs/published-traces.md",
        before=CITY,
        smaller={
            "TABLE": "city.csv",
            "schema S": "schema sample_data/city.schema.json",
            "FILE": "f.csv",
        },
    ),
    Play("docs/traces.md", "Made traces", long=True),
    Play("docs/traces.md", "The table", files={"positions.csv": positions}),
)


COMPLETE = "test_every_command_is_complete"
TYPED = [each for each in every_command() if each.text.startswith("understudy ")]


def named(each: Any) -> str:
    return f"{each.document}: {getattr(each, 'text', each.heading)}"[:70]


def complete(words: list[str]) -> None:
    """Take a command apart as the program does, and do nothing.

    Raises:
        Exception: something is missing or cannot be read.
    """
    verb: Any = command()
    context = verb.make_context("understudy", list(words))
    while getattr(verb, "commands", None) and (rest := [*context._protected_args, *context.args]):
        _, verb, rest = verb.resolve_command(context, rest)
        context = verb.make_context(verb.name, rest, parent=context)


@pytest.mark.parametrize("typed", TYPED, ids=named)
def test_every_command_is_complete(typed: Command) -> None:
    complete(typed.words)


def test_what_is_missing_is_noticed() -> None:
    with pytest.raises(Exception, match="title"):
        complete(["packet", "RUN", "--out", "packets"])


def test_every_command_is_run_or_listed_with_the_reason() -> None:
    left = [
        f"{each.document}: {each.text}"
        for each in every_command()
        if not why_not_run(each) and not any(play.has(each) for play in PLAYS)
    ]
    assert left == []
    assert all(play.commands for play in PLAYS)


def meant(word: str, folder: Path) -> str:
    """What a reader puts in place of a word."""
    if word == "RUN":
        return list_every_run()[0].identity
    if "PACKET" in word or "packet-…" in word:
        (found,) = folder.glob(word.replace("PACKET", "packet-*[!z][!i][!p]").replace("…", "*"))
        return str(found)
    return word.replace("…/", "sample_data/")


def run(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Run a command; its status, and what it said."""
    words = [meant(word, folder) for word in shlex.split(text)[1:]]
    status = main(words)
    said = capsys.readouterr()
    return status, said.err if status else said.out


@pytest.mark.parametrize(
    "play",
    [
        pytest.param(
            play,
            id=f"{play.document} {play.heading}".strip(),
            marks=[pytest.mark.thorough("test_every_command_is_complete")] if play.long else [],
        )
        for play in PLAYS
    ],
)
def test_commands_run_one_after_another(
    play: Play,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    in_this_process: None,
    few_trees: None,
) -> None:
    monkeypatch.chdir(tmp_path)
    # Few records are looked at, and no browser prints reports.
    monkeypatch.setattr("understudy.runs.inquiry.make_evaluation", small_evaluation)
    monkeypatch.setattr("understudy.report.packet.print_pdf", lambda _: None)
    (tmp_path / "sample_data").symlink_to(Path(__file__).parents[1] / "sample_data")
    for name, make in play.files.items():
        make(tmp_path / name)
    for each in (*play.before, *play.commands):
        text = play.typed(each)
        status, said = run(text, tmp_path, capsys)
        assert status == (2 if each.refused else 0), f"{text}: {said}"


def test_a_refusal_that_a_document_shows_is_known() -> None:
    refused = [each for each in every_command() if each.refused]
    assert len(refused) >= 4
    assert all(re.match("understudy ", each.text) for each in refused)
    assert json.dumps([each.text for each in refused])
