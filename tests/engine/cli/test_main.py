from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import understudy.privacy.accounting.accountant as accounting
from understudy import __version__
from understudy.core.debugging import traceback_file

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
        ("schema", "{census}", "--out", os.devnull, "--declare-public", "--note", "known"),
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
