"""The search finds a canary wherever it was put; otherwise the other tests would prove nothing."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from tests.canaries.conftest import Watch
from tests.canaries.planted import (
    DATE,
    DECIMAL,
    IDENTITY,
    NAME,
    STRAY,
    WHOLE,
    canaries,
    canaries_below,
    csv,
    frame,
    schema,
)
from tests.engine.table.formats import write


@pytest.mark.parametrize(
    "text",
    [
        STRAY, NAME.upper(), f"{IDENTITY}00012", str(WHOLE), f"{WHOLE:,}", f"{WHOLE:e}",
        str(DECIMAL), f"{DECIMAL:,}", f"{DECIMAL:.5e}", DATE, "29.11.1873", "18731129",
        "29 November 1873",
    ],
)  # fmt: skip
def test_in_a_text(text: str) -> None:
    assert canaries(f"a column holds “{text}” somewhere")


def test_not_where_none_is() -> None:
    assert canaries(schema().to_json()) == []
    assert canaries("8 675 30 records, 5,550 of them on 1873-11-28") == []


def test_in_files_of_every_kind(tmp_path: Path) -> None:
    table = frame(60)
    for kind in ("csv", "parquet", "xlsx", "dta", "sqlite"):
        path = write(kind, table, tmp_path / f"t.{kind}")
        assert canaries_below(tmp_path), kind
        path.unlink()
    (tmp_path / "t").write_bytes(csv(60).decode().encode("utf-16"))
    assert canaries_below(tmp_path)
    (tmp_path / "t").unlink()
    np.savez_compressed(tmp_path / "t.npz", names=np.array(table["NAME"], dtype=str))
    assert canaries_below(tmp_path)
    (tmp_path / "t.npz").unlink()
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("a/b.txt", "x" * 100 + STRAY)
    assert canaries_below(tmp_path)
    assert canaries_below(tmp_path, but=("t.zip",)) == []
    (tmp_path / "t.zip").unlink()
    (tmp_path / f"{STRAY}.txt").touch()
    assert canaries_below(tmp_path)


def test_in_what_is_said(watch: Watch) -> None:
    print(STRAY)
    assert watch.found()
    watch.said.append(NAME)
    assert watch.found()


def test_in_temporary_files(watch: Watch) -> None:
    (watch.temporary / "left").write_text(f"… {WHOLE} …", encoding="utf-8")
    assert watch.found()
