"""Reading in a process of its own: the same table, the same refusals, and no crash."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.core.confined import Bounds, Ended
from engine.core.refusal import Refusal
from engine.table.sources import isolated as apart
from engine.table.sources.reading import read_table
from engine.table.sources.source import open_source
from engine.table.sources.statistics.statistics_file import read_statistics
from tests.engine.table.formats import Words, write
from tests.engine.table.sources.statistics.files import people
from tests.engine.table.uploads import excel

_WORDS = Words(
    titles={"sex": "Sex"}, values={"sex": {1: "männlich", 2: "weiblich"}}, ranges={"sex": [2]}
)


@pytest.mark.parametrize("upload", [True, False])
def test_the_table_is_the_same(tmp_path: Path, upload: bool) -> None:
    path = write("sav", people(), tmp_path / "people.sav", _WORDS)
    raw = read_table(path.read_bytes(), name=path.name) if upload else read_table(path)
    here = read_statistics(open_source(path, None, 1 << 30), "spss", encoding=None)
    assert raw.arrow.equals(here.arrow)
    assert (raw.reading, raw.notes, raw.labels) == (here.reading, here.notes, here.labels)
    assert raw.arrow.column("sex").num_chunks == 1


def test_a_refusal_comes_back_whole(tmp_path: Path) -> None:
    path = write("sav", people(), tmp_path / "people.sav")
    with pytest.raises(Refusal) as caught:
        read_table(path, encoding="no-such-encoding")
    assert caught.value.field == "encoding"
    assert caught.value.remedy.startswith("Use a name")


@pytest.mark.parametrize(
    ("why", "said"), [("crash", "damaged"), ("time", "far longer"), ("memory", "more memory")]
)
def test_a_file_that_ends_what_reads_it_is_refused(
    monkeypatch: pytest.MonkeyPatch, why: str, said: str
) -> None:
    """No file that does so is at hand for good; `test_confined` ends the process in earnest."""

    def ending(*_: object) -> None:
        raise Ended(why)  # type: ignore[arg-type]

    monkeypatch.setattr(apart, "confined", ending)
    with pytest.raises(Refusal, match=said) as caught:
        read_table(excel([["a", "b"], [1, 2]]), name="t.xlsx")
    assert caught.value.field == "table"


def test_memory_is_bounded_by_the_size_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of 20 MB in which no text stands twice, and hardly any memory to read it."""
    data = excel([["a", "b"], *(["x" * 32_000 + str(each), each] for each in range(600))])
    monkeypatch.setattr(apart, "reading_bounds", lambda size: Bounds(1 << 20, 120.0))
    with pytest.raises(Refusal, match="more memory"):
        read_table(data, name="t.xlsx")


def test_a_table_is_counted_before_it_is_taken_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "most_held", lambda size: 10)
    with pytest.raises(Refusal, match="more memory"):
        read_table(excel([["a", "b"], [1, 2], [3, 4]]), name="t.xlsx")
