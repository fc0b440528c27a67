from __future__ import annotations

import io
import json
import math
import sys

import pytest

from engine.cli.output import guarantee, print_aligned, print_json


def test_a_guarantee_that_is_none() -> None:
    assert guarantee(None, 1.0) == guarantee(3.0, 1.0) == "nothing is promised"
    assert guarantee(0.5, 1e-9) == "ε = 0.5, δ = 1e-09"


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
