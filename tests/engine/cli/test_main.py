"""docs/command-line.md says every option of every verb, and none that there is not. What nobody
foresaw in a file or an option: a sentence, the status of a refusal, nothing left.
"""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
import uuid
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import understudy.privacy.accounting.accountant as accounting
from tests.engine.cli.conftest import KNOWN, Ended
from understudy import __version__
from understudy.cli.application import command
from understudy.core.debug import traceback_file
from understudy.mechanisms.seedbased.plan import Plan
from understudy.runs.process import limit_memory, time_limit
from understudy.runs.resources import MOST_MEMORY, MOST_MINUTES, Resources
from understudy.table.schema import Schema

ROOT = Path(__file__).resolve().parents[3]
HEAVY = ("streamlit", "pandas", "pyarrow", "opendp", "rich", "understudy_dashboard")


def test_help_and_account_load_nothing_heavy() -> None:
    program = (
        "import json, sys\n"
        "from understudy.cli import main\n"
        "assert main(['--help']) == 0 and main(['synthesize', '--help']) == 0\n"
        "assert 'scipy' not in sys.modules\n"
        "assert main(['account', '--attempts', '100', '--json']) == 0\n"
        f"print(json.dumps([each for each in {HEAVY!r} if each in sys.modules]))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert json.loads(ended.stdout.splitlines()[-1]) == []


def test_runs_as_a_module() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "understudy.cli", "nonsense"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith("understudy: No such command")


def test_bare_command_shows_the_verbs(understudy: Callable[..., Any]) -> None:
    ended = understudy()
    assert ended.status == 0
    for verb in ("sample", "schema", "propose", "plan", "synthesize", "account", "dashboard"):
        assert f"\n  {verb} " in ended.out


@pytest.mark.parametrize(
    "verb",
    [
        ["sample", "census"],
        ["schema"],
        ["propose"],
        ["plan"],
        ["synthesize"],
        ["account"],
        ["dashboard"],
    ],
)
def test_every_option_of_every_verb_is_explained(
    understudy: Callable[..., Any], verb: list[str]
) -> None:
    ended = understudy(*verb, "--help")
    assert ended.status == 0
    lines = ended.out.splitlines()
    options = [at for at, line in enumerate(lines) if line.lstrip().startswith("--")]
    assert options
    for at in options:
        beyond = lines[at].strip().split("  ", 1)
        assert len(beyond) == 2 or lines[at + 1].startswith("      "), lines[at]


def test_version(understudy: Callable[..., Any]) -> None:
    assert understudy("--version").out == f"understudy {__version__}\n"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["perform"], "No such command 'perform'. Run `understudy --help`"),
        (["sample"], "Missing command. Run `understudy sample --help`"),
        (["account", "--kk", "3"], "No such option: --kk"),
        (["account", "--k", "many"], "“many” is not a whole number. Run `understudy account"),
        (["account", "--k", "1.5"], "“1.5” is not a whole number"),
        (["account", "--gamma", "big"], "“big” is not a number"),
        (["account", "--epsilon0", "some"], "“some” is neither a number nor “none”"),
        (["account", "--test", "none"], "“none” is not plausible-deniability or relative-sens"),
        (["synthesize", "--protocol", "published"], "“published” is not attempts or releases"),
        (["synthesize"], "Missing option '--out'"),
        (["synthesize", "t.csv", "--out", "d"], "Missing option '--schema'"),
        (["schema", "t.csv"], "Missing option '--out'"),
        (["sample", "census"], "Missing option '--out'"),
    ],
)
def test_misuse_is_a_sentence(understudy: Callable[..., Any], typed: list[str], said: str) -> None:
    assert said in understudy(*typed).refusal


def _raise(error: BaseException) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def test_unforeseen_error_keeps_its_text_back(
    understudy: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounting, "account", _raise(KeyError("Mrs Dalloway, 4711")))
    ended = understudy("account")
    assert ended.status == 1
    assert "KeyError" in ended.err
    assert "Dalloway" not in ended.err
    assert "Traceback" not in ended.err


def test_a_traceback_is_written_if_it_is_asked_for(
    understudy: Callable[..., Any],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(accounting, "account", _raise(KeyError("Mrs Dalloway, 4711")))
    assert "set UNDERSTUDY_DEBUG=1" in understudy("account").err
    assert not traceback_file().exists()
    monkeypatch.setenv("UNDERSTUDY_DEBUG", "1")
    home.mkdir(exist_ok=True)
    traceback_file().touch(mode=0o644)
    ended = understudy("account")
    assert ended.status == 1
    for written in (ended.err, traceback_file().read_text(encoding="utf-8")):
        assert "Traceback" in written
        assert "Dalloway" in written
        assert "may hold confidential values" in written
    assert str(traceback_file()) in ended.err
    assert traceback_file().stat().st_mode & 0o777 == 0o600


def test_full_disk_is_a_sentence(
    understudy: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    error = OSError(errno.ENOSPC, "No space left on device", "/data/out")
    monkeypatch.setattr(accounting, "account", _raise(error))
    assert understudy("account").refusal == (
        "The disk that holds /data/out is full. Free some space and try again."
    )


def test_interruption_is_a_sentence(
    understudy: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounting, "account", _raise(KeyboardInterrupt()))
    ended = understudy("account")
    assert (ended.status, ended.err) == (130, "understudy: Cancelled.\n")


def test_warnings_are_not_shown(
    understudy: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    recwarn: pytest.WarningsRecorder,
) -> None:
    real = accounting.account

    def warning(*arguments: Any, **named: Any) -> Any:
        warnings.warn("cell B7 holds 4711", stacklevel=1)
        return real(*arguments, **named)

    monkeypatch.setattr(accounting, "account", warning)
    ended = understudy("account")
    assert (ended.status, ended.err) == (0, "")
    assert len(recwarn) == 0


def test_output_survives_a_terminal_that_knows_no_greek() -> None:
    program = "from understudy.cli import main; main(['account', '--json']); main(['account'])"
    western = {"PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, env=western, check=True)
    said = ended.stdout.decode("latin-1")
    figures, end = json.JSONDecoder().raw_decode(said)
    assert figures["attempt"]["t"] > 0
    assert "\\u03b5 = 1." in said[end:]


def test_a_reader_that_leaves_is_no_error() -> None:
    command = f"'{sys.executable}' -m understudy.cli --help | true"
    ended = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.stderr == ""


@pytest.mark.parametrize(
    "typed",
    [
        ("schema", "{census}", "--out", "{new}", "--codebook", os.devnull),
        ("schema", "{census}", "--out", os.devnull, *KNOWN, "known"),
        ("synthesize", "{census}", "--out", "{new}", "--schema", os.devnull),
        ("synthesize", "{census}", "--out", "{new}", "--schema", "{schema}", "--plan", os.devnull),
        ("ledger", "verify", os.devnull),
    ],
)
def test_a_device_which_may_never_end_is_not_read(
    understudy: Callable[..., Any],
    census: Path,
    census_schema: Path,
    tmp_path: Path,
    typed: Sequence[str],
) -> None:
    names = {"census": census, "schema": census_schema, "new": tmp_path / "new"}
    refusal = understudy(*(each.format(**names) for each in typed)).refusal
    assert os.devnull in refusal
    assert "not a plain file" in refusal.lower()
    assert not (tmp_path / "new").exists()


DOCUMENT = Path(__file__).parents[3] / "docs" / "command-line.md"
SHARED = "What several verbs have"


def sections() -> dict[str, str]:
    """What is said of each verb, by its name; a heading may name several."""
    found: dict[str, str] = {}
    for part in DOCUMENT.read_text(encoding="utf-8").split("\n## ")[1:]:
        heading, _, said = part.partition("\n")
        found |= dict.fromkeys(heading.partition(":")[0].split(", "), said)
    return found


def said_in(section: str) -> set[str]:
    """The options that a section names."""
    return set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", section))


def options(verb: Any) -> set[str]:
    """The options of a verb and of all within it."""
    own = {name for each in verb.params for name in each.opts if name.startswith("--")}
    within = getattr(verb, "commands", {}).values()
    return own.union(*map(options, within))


VERBS = command().commands


def test_every_verb_has_a_section() -> None:
    assert sections().keys() - {SHARED} == VERBS.keys()


@pytest.mark.parametrize("verb", VERBS)
def test_a_section_says_every_option_of_its_verb(verb: str) -> None:
    found = sections()
    assert options(VERBS[verb]) - {"--help"} <= said_in(found[verb]) | said_in(found[SHARED])


def test_what_several_verbs_have_is_told_of_those_that_have_it() -> None:
    rows = [line.split(" | ") for line in sections()[SHARED].splitlines() if line[:4] == "| `-"]
    assert rows
    for names, verbs, *_ in rows:
        for name in said_in(names):
            has = {verb for verb in VERBS if name in options(VERBS[verb])}
            told = verbs.removeprefix("all but ")
            stated = set(re.split(", | and ", told))
            assert has == (stated if told == verbs else VERBS.keys() - stated), name


def test_no_option_is_said_that_no_verb_has() -> None:
    said = said_in(DOCUMENT.read_text(encoding="utf-8"))
    assert said <= options(command()) | {"--help"}


@pytest.fixture
def replaced(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[str], dict[str, str]]]:
    """What the process would have been replaced by."""
    calls: list[tuple[str, list[str], dict[str, str]]] = []
    monkeypatch.setattr(os, "execve", lambda *arguments: calls.append(arguments))
    return calls


def test_hands_over_to_the_page(
    understudy: Callable[..., Any], replaced: list[tuple[str, list[str], dict[str, str]]]
) -> None:
    understudy("dashboard", "--demo", "--sample", "--port", 8600, "--no-browser")
    (program, arguments, environment) = replaced[0]
    assert program == sys.executable
    assert arguments[1:] == [
        "-P", "-m", "understudy_dashboard", "--demo", "--sample", "--no-browser", "--port", "8600",
    ]  # fmt: skip
    first = environment["PYTHONPATH"].split(os.pathsep)[0]
    assert (Path(first) / "understudy_dashboard" / "__main__.py").is_file()


def test_without_options(
    understudy: Callable[..., Any], replaced: list[tuple[str, list[str], dict[str, str]]]
) -> None:
    understudy("dashboard")
    assert replaced[0][1][1:] == ["-P", "-m", "understudy_dashboard"]


def test_hands_over_how_people_sign_in(
    understudy: Callable[..., Any],
    replaced: list[tuple[str, list[str], dict[str, str]]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By a path that is whole, whatever folder the page is started in."""
    monkeypatch.chdir(tmp_path)
    understudy("dashboard", "--sign-in", "a.toml", "--public-address", "https://a.example")
    assert replaced[0][1][4:] == [
        "--sign-in", str(tmp_path / "a.toml"), "--public-address", "https://a.example",
    ]  # fmt: skip


@pytest.mark.parametrize("port", [0, 70_000, -1])
def test_refuses_what_is_no_port(
    understudy: Callable[..., Any],
    replaced: list[tuple[str, list[str], dict[str, str]]],
    port: int,
) -> None:
    assert understudy("dashboard", "--port", port).refusal.startswith("--port: ")
    assert replaced == []


Understudy = Callable[..., Ended]
Where = tuple[str | int, ...]

UNFORESEEN_DOCUMENT: dict[str, Any] = {
    "fields": [
        {
            "name": "a",
            "title": "T",
            "type": "string",
            "constraints": {"required": True, "enum": ["0", "1"]},
            "categories": [{"value": "0", "label": "zero"}, {"value": "1", "label": "one"}],
            "missingValues": ["x"],
            "understudy": {
                "buckets": {
                    "kind": "groups",
                    "groups": [{"label": "g", "values": ["0"]}, {"label": "h", "values": ["1"]}],
                }
            },
        },
        {
            "name": "b",
            "type": "integer",
            "constraints": {"required": True, "minimum": 0, "maximum": 1},
            "missingValues": [""],
            "understudy": {"step": 1, "buckets": {"kind": "width", "width": 1}},
        },
    ],
    "understudy": {
        "reading": {"kind": "csv", "encoding": "utf-8", "separator": ",", "quote": '"'},
        "declared_public": {"at": "2026-01-01T00:00:00Z", "domain": "x", "note": "n"},
    },
}


def places(found: Any, at: Where = ()) -> Iterator[Where]:
    """Where something stands in a document that is no list and no set of names."""
    if isinstance(found, dict | list):
        for key, value in found.items() if isinstance(found, dict) else enumerate(found):
            yield from places(value, (*at, key))
    else:
        yield at


def put(document: Any, at: Where, raw: str) -> str:
    """The document as JSON with something else there."""
    changed = json.loads(json.dumps(document))
    within = changed
    for key in at[:-1]:
        within = within[key]
    within[at[-1]] = "@@"
    return json.dumps(changed).replace('"@@"', raw)


NUMBERS = ("1e400", "-1e400", "1" + "0" * 39, "1" + "0" * 5000, "9" * 100_000, "1e999999999999")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "".join(f"{row % 2},{row % 2}\n" for row in range(40)))
    return path


@pytest.mark.parametrize(
    "at", [*places(UNFORESEEN_DOCUMENT)], ids=lambda at: ".".join(map(str, at))
)
def test_half_a_character_in_a_schema_is_refused_and_leaves_nothing(
    at: Where, understudy: Understudy, table: Path, tmp_path: Path
) -> None:
    schema = tmp_path / "s.json"
    schema.write_text(put(UNFORESEEN_DOCUMENT, at, '"\\ud800"'))
    ended = understudy("schema", table, "--out", schema, *KNOWN, "the code book")
    assert "half a character" in ended.refusal
    assert {path.name for path in tmp_path.iterdir()} == {"t.csv", "s.json"}


def test_half_a_character_in_a_note_is_refused(
    understudy: Understudy, table: Path, tmp_path: Path
) -> None:
    schema = tmp_path / "s.json"
    schema.write_text(json.dumps(UNFORESEEN_DOCUMENT))
    declared = ("schema", table, "--out", schema, *KNOWN)
    assert "\\ud800" in understudy(*declared, "the \ud800 book").refusal
    assert {path.name for path in tmp_path.iterdir()} == {"t.csv", "s.json"}


@pytest.mark.parametrize("raw", NUMBERS, ids=lambda raw: raw[:12])
def test_no_number_in_a_schema_is_unforeseen(
    raw: str, understudy: Understudy, table: Path, tmp_path: Path
) -> None:
    schema = tmp_path / "s.json"
    for at in places(UNFORESEEN_DOCUMENT):
        schema.write_text(put(UNFORESEEN_DOCUMENT, at, raw))
        declared = (*KNOWN, "the code book")
        ended = understudy("schema", table, "--out", schema, *declared)
        assert ended.status in (0, 2), (at, ended)
        assert len(ended.err) < 2_000, at


@pytest.mark.parametrize("raw", [*NUMBERS, '"\\ud800"'], ids=lambda raw: raw[:12])
def test_no_number_in_a_plan_is_unforeseen(
    raw: str, understudy: Understudy, table: Path, tmp_path: Path
) -> None:
    schema, plan = tmp_path / "s.json", tmp_path / "p.json"
    made = Schema.from_json(json.dumps(UNFORESEEN_DOCUMENT)).declare_public()
    made.save(schema)
    document = json.loads(Plan.of(made, public_records=40).to_json())
    for at in places(document):
        plan.write_text(put(document, at, raw))
        ended = understudy(
            "synthesize", table, "--schema", schema, "--plan", plan, "--out", tmp_path / "o"
        )
        assert ended.status == 2, (at, ended)
        assert len(ended.err) < 2_000, at


@pytest.mark.parametrize("number", ["1" + "0" * 39, "9" * 400, "9" * 100_000])
@pytest.mark.parametrize(
    "option", ["--records", "--seeds-at-least", "--memory", "--minutes", "--t"]
)
def test_no_number_on_the_command_line_is_unforeseen(
    option: str, number: str, understudy: Understudy, table: Path, tmp_path: Path
) -> None:
    schema = tmp_path / "s.json"
    Schema.from_json(json.dumps(UNFORESEEN_DOCUMENT)).declare_public().save(schema)
    others = () if option == "--records" else ("--records", 40)
    ended = understudy(
        "synthesize", table, "--schema", schema, "--out", tmp_path / "o", *others, option, number
    )
    assert ended.status == 2, ended
    assert len(ended.err) < 2_000


@pytest.mark.parametrize("given", ["nan", "inf", "-inf", "1e308"])
@pytest.mark.parametrize("option", ["--memory", "--minutes"])
def test_a_limit_is_a_number(
    option: str, given: str, understudy: Understudy, table: Path, tmp_path: Path
) -> None:
    schema = tmp_path / "s.json"
    Schema.from_json(json.dumps(UNFORESEEN_DOCUMENT)).declare_public().save(schema)
    ended = understudy(
        "synthesize", table, "--schema", schema, "--out", tmp_path / "o", "--records", 40, option,
        given,
    )  # fmt: skip
    assert ended.refusal.startswith(option)


def test_the_largest_limits_can_be_kept_to() -> None:
    resources = Resources(memory=MOST_MEMORY, minutes=float(MOST_MINUTES))
    with time_limit(resources.minutes):
        pass
    limit_memory(None)


UNKNOWN_ZONE = pa.array([0, 10**15] * 20, pa.timestamp("us", tz="Mars/Olympus"))
BROKEN = pa.StringArray.from_buffers(
    2, pa.array([0, 2, 4], pa.int32()).buffers()[1], pa.py_buffer(b"\xff\xfeok")
)


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (UNKNOWN_ZONE, ""),
        (UNKNOWN_ZONE.dictionary_encode(), ""),
        (pa.concat_arrays([BROKEN] * 20), ""),
        (pa.array([uuid.uuid4().bytes] * 40, pa.uuid()), "“b” holds UUIDs"),
    ],
    ids=["zone", "zone as categories", "no text", "uuid"],
)
def test_odd_columns_of_parquet(
    column: pa.Array, said: str, understudy: Understudy, tmp_path: Path
) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": ["0", "1"] * 20, "b": column}), path)
    ended = understudy("schema", path, "--out", tmp_path / "s.json")
    assert (ended.status, said in ended.err) == (2 if said else 0, True), ended


def test_a_workbook_of_one_column_is_not_told_of_separators(
    understudy: Understudy, tmp_path: Path
) -> None:
    import pandas as pd

    pd.DataFrame({"a": ["1", "2"]}).to_excel(tmp_path / "t.xlsx", index=False)
    refusal = understudy("schema", tmp_path / "t.xlsx", "--out", tmp_path / "s.json").refusal
    assert refusal == "t.xlsx has only one column. Choose a table of two columns or more."
    (tmp_path / "t.csv").write_text("a\n1\n2\n")
    refusal = understudy("schema", tmp_path / "t.csv", "--out", tmp_path / "s.json").refusal
    assert "name the separator" in refusal
