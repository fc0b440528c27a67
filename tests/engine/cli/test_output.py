from __future__ import annotations

import io
import json
import math
import sys

import pytest

from understudy.cli.output import describe_budget, echo, print_aligned, print_json, print_wrapped


def test_a_guarantee_that_is_none() -> None:
    assert describe_budget(None, 1.0) == describe_budget(3.0, 1.0) == "nothing is promised"
    assert describe_budget(0.5, 1e-9) == "ε = 0.5, δ = 1e-09"


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "cp1251"])
def test_json_survives_any_encoding(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    sink = io.BytesIO()
    stream = io.TextIOWrapper(sink, encoding=encoding, errors="backslashreplace")
    monkeypatch.setattr(sys, "stdout", stream)
    print_json({"ε": "é", "ж": None})
    stream.flush()
    assert json.loads(sink.getvalue().decode(encoding)) == {"ε": "é", "ж": None}


@pytest.mark.parametrize("number", [math.inf, math.nan])
def test_json_is_strict(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        print_json({"number": number})


def test_columns_line_up(capsys: pytest.CaptureFixture[str]) -> None:
    print_aligned([("a", "bcd", "e"), ("long", "f"), ()], indent=" ")
    assert capsys.readouterr().out == " a     bcd  e\n long  f\n\n"


def test_nothing_that_is_printed_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    echo("a\x1b[2Jb\nc\u202e")
    print_aligned([["x\u202e", "\r1"]])
    print_wrapped("two\u2009words\x1b[0m")
    out = capsys.readouterr().out
    assert out == "a\\x1b[2Jb\nc\\u202e\nx\\u202e  \\x0d1\ntwo\u2009words\\x1b[0m\n"


def test_json_holds_the_same_and_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    figures = {"name": "é\u202e\x7f\U000e0041\x1b\n"}
    print_json(figures)
    out = capsys.readouterr().out
    assert json.loads(out) == figures
    assert "é" in out
    assert not set("\u202e\x7f\U000e0041\x1b") & set(out)
