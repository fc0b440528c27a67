"""Texts, names and labels of statistics packages in other encodings."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from tests.engine.table.formats import Words, write
from tests.engine.table.sources.statistics.files import people, read, texts
from understudy.core.refusal import Refusal
from understudy.table.cells import NOT_TEXT


def test_texts_in_another_encoding(folder: Path) -> None:
    frame = pd.DataFrame({"town": ["Zürich", "Åre", "Ghent"], "x": [1, 2, 3]})
    frame.to_stata(folder / "old.dta", write_index=False, version=114)
    path = folder / "old.dta"
    assert texts(read(path))["town"] == ["Zürich", "Åre", "Ghent"]
    assert texts(read(path, encoding="latin-1"))["town"] == ["Zürich", "Åre", "Ghent"]
    assert texts(read(path, encoding="utf-8"))["town"] == [NOT_TEXT, NOT_TEXT, "Ghent"]
    with pytest.raises(Refusal) as caught:
        read(path, encoding="no-such-encoding")
    assert caught.value.field == "encoding"


@pytest.mark.parametrize("kind", ["dta", "sav", "xpt", "sas7bdat"])
def test_a_text_in_another_encoding_takes_no_other_with_it(kind: str, folder: Path) -> None:
    frame = people().assign(town=["Zürich", "XXXXX", "Ghent", "Åre"] * 10)
    data = write(kind, frame, folder / f"people.{kind}").read_bytes()
    found = read(data.replace(b"XXXXX", b"Z\xfcri.", 1), f"people.{kind}")
    expected = ["Zürich", NOT_TEXT, "Ghent", "Åre", *["Zürich", "XXXXX", "Ghent", "Åre"] * 9]
    assert texts(found)["town"] == expected


def test_names_and_labels_in_another_encoding_are_refused(folder: Path) -> None:
    words = Words(values={"sex": {1: "XXXXX", 2: "female"}})
    data = write("sav", people(), folder / "people.sav", words).read_bytes()
    with pytest.raises(Refusal) as caught:
        read(data.replace(b"XXXXX", b"Z\xfcri.", 1), "people.sav")
    assert caught.value.field == "encoding"


def test_a_label_and_a_text_declared_missing_are_in_the_encoding_of_the_file(folder: Path) -> None:
    frame = people().assign(town=["Zürich", "Åre", "Ghent", "–"] * 10)
    words = Words(values={"town": {"Zürich": "Zürich (Zürich)"}}, ranges={"town": ["–"]})
    raw = read(write("sav", frame, folder / "people.sav", words))
    assert raw.labels.values == {"town": {"Zürich": "Zürich (Zürich)"}}
    assert raw.labels.missing == {"town": ("–",)}


def test_no_encoding_can_be_named_for_a_portable_file(folder: Path) -> None:
    with pytest.raises(Refusal) as caught:
        read(write("por", people(), folder / "p.por"), encoding="utf-8")
    assert caught.value.field == "encoding"
