"""Reading in a process of its own: the same table, the same refusals, and no crash."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.refusal import Refusal
from engine.table import apart
from engine.table.reading import read_table
from engine.table.source import opened
from engine.table.statistics_file import read_statistics
from tests.engine.table.formats import Words, write
from tests.engine.table.test_statistics_file import people

_WORDS = Words(
    titles={"sex": "Sex"}, values={"sex": {1: "männlich", 2: "weiblich"}}, ranges={"sex": [2]}
)


@pytest.mark.parametrize("upload", [True, False])
def test_the_table_is_the_same(tmp_path: Path, upload: bool) -> None:
    path = write("sav", people(), tmp_path / "people.sav", _WORDS)
    raw = read_table(path.read_bytes(), name=path.name) if upload else read_table(path)
    here = read_statistics(opened(path, None, 1 << 30), "spss", encoding=None)
    assert raw.arrow.equals(here.arrow)
    assert (raw.reading, raw.notes, raw.labels) == (here.reading, here.notes, here.labels)
    assert raw.arrow.column("sex").num_chunks == 1


def test_a_refusal_comes_back_whole(tmp_path: Path) -> None:
    path = write("sav", people(), tmp_path / "people.sav")
    with pytest.raises(Refusal) as caught:
        read_table(path, encoding="no-such-encoding")
    assert caught.value.field == "encoding"
    assert caught.value.remedy.startswith("Use a name")


@pytest.mark.parametrize("deed", ["kill -SEGV $$", "exec sleep 600"])
def test_a_file_that_ends_or_stops_what_reads_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deed: str
) -> None:
    """No file that does so is at hand for good, so the other process is one that does at once."""
    monkeypatch.setattr(apart, "_SECONDS", 0.05)
    path = write("sav", people(), tmp_path / "people.sav")
    ending = tmp_path / "ending"
    ending.write_text(f"#!/bin/sh\n{deed}\n", encoding="utf-8")
    ending.chmod(0o700)
    monkeypatch.setattr("engine.table.apart.sys.executable", str(ending))
    for source in (path, path.read_bytes()):
        with pytest.raises(Refusal, match="damaged"):
            read_table(source, name=path.name)
