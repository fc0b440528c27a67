"""Pictures of archives, folders and arrays; what is unlike what was declared is refused."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from understudy.core.refusal import Refusal
from understudy.table.pictures.grey import GreySet
from understudy.table.pictures.picture_schema import Pictures
from understudy.table.sources.isolated_pictures import isolated_pictures
from understudy.table.sources.pictures.pictures_file import FILES, read_pictures
from understudy.table.sources.source import GIB, open_source

ABOUT = Pictures(height=2, width=3, levels=255, labels=("cat", "dog"))
RNG = np.random.default_rng(5)
ONE, OTHER = RNG.integers(0, 256, (2, 2, 3)).astype(np.uint8)


def png(pixels: Any, mode: str | None = None, kind: str = "PNG", **more: Any) -> bytes:
    out = io.BytesIO()
    picture = Image.fromarray(np.asarray(pixels))
    (picture if mode is None else picture.convert(mode)).save(out, kind, **more)
    return out.getvalue()


def zipped(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def archive(files: Mapping[str, bytes], about: Pictures = ABOUT) -> GreySet:
    return read_pictures(open_source(zipped(files), "p.zip", GIB), about)


def array(about: Pictures = ABOUT, **arrays: Any) -> GreySet:
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    return read_pictures(open_source(out.getvalue(), "p.npz", GIB), about)


def test_an_archive_is_read_by_name_with_the_folder_as_label() -> None:
    found = archive({"x/dog/b.png": png(OTHER), "x/cat/a.pgm": png(ONE, kind="PPM"), "r.txt": b""})
    assert (found.grey == np.stack([ONE, OTHER])).all()
    assert found.labels.tolist() == [0, 1]


def test_an_array_is_read_as_an_archive_is() -> None:
    found = array(pictures=np.stack([ONE, OTHER]), labels=np.array(["cat", "dog"]))
    assert (found.grey == np.stack([ONE, OTHER])).all()
    assert found.labels.tolist() == [0, 1]


def test_one_more_picture_changes_no_other() -> None:
    files = {f"cat/{at}.png": png(RNG.integers(0, 256, (2, 3)).astype(np.uint8)) for at in range(4)}
    more = archive(files).grey
    for left_out in range(4):
        fewer = {name: data for name, data in files.items() if f"/{left_out}." not in name}
        assert (archive(fewer).grey == np.delete(more, left_out, axis=0)).all()


def test_a_folder_is_read_in_a_process_of_its_own_and_links_in_it_lead_nowhere(
    tmp_path: Path,
) -> None:
    (tmp_path / "within" / "dog").mkdir(parents=True)
    (tmp_path / "within" / "dog" / "a.png").write_bytes(png(ONE))
    (tmp_path / "secret.png").write_bytes(png(OTHER))
    (tmp_path / "within" / "dog" / "b.png").symlink_to(tmp_path / "secret.png")
    found = isolated_pictures(tmp_path / "within", ABOUT)
    assert (found.grey == ONE[None]).all()
    assert found.labels.tolist() == [1]
    assert FILES.folder(tmp_path / "within").size == len(png(ONE))


MOVING = png(ONE, kind="GIF", save_all=True, append_images=[Image.fromarray(OTHER)])


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (png(np.zeros((3, 3), np.uint8)), "declared size of 2 × 3"),
        (png(np.zeros((3, 2), np.uint8)), "declared size of 2 × 3"),
        (png(np.zeros((5000, 5000), np.uint8)), "declared size of 2 × 3"),
        (png(ONE, "RGB"), "colours"),
        (png(ONE, "LA"), "transparency"),
        (png(ONE.astype(np.uint16)), "more than 256"),
        (MOVING, "moves"),
        (png(ONE)[:45], "broken"),
        (b"no picture", "broken"),
    ],
)
def test_a_picture_unlike_what_is_declared_is_refused_without_its_name(
    data: bytes, said: str
) -> None:
    with pytest.raises(Refusal, match=said) as refused:
        archive({"cat/a.png": png(ONE), "cat/b-secret.png": data})
    assert "Picture 2" in str(refused.value)
    assert "secret" not in str(refused.value)


def test_an_archive_without_pictures_damaged_or_swollen_is_refused() -> None:
    with pytest.raises(Refusal, match="no picture in"):
        archive({"cat/a.txt": b""})
    with pytest.raises(Refusal, match="not a ZIP archive"):
        read_pictures(open_source(b"nothing", "p.zip", GIB), ABOUT)
    with pytest.raises(Refusal, match="200 times"):
        archive({f"cat/{at}.png": bytes(15 << 20) for at in range(5)})


def test_a_label_that_is_not_declared_is_refused_without_naming_it() -> None:
    with pytest.raises(Refusal, match="declared label") as refused:
        archive({"secret/a.png": png(ONE)})
    assert "secret" not in str(refused.value)
    with pytest.raises(Refusal, match="declared label"):
        array(pictures=ONE[None], labels=np.array(["secret"]))
    with pytest.raises(Refusal, match="declared label"):
        array(pictures=ONE[None])


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({}, "no array"),
        ({"pictures": ONE}, "no array"),
        ({"pictures": np.zeros((1, 3, 2), np.uint8)}, "no array"),
        ({"pictures": np.zeros((0, 2, 3), np.uint8)}, "no array"),
        ({"pictures": np.full((1, 2, 3), 256)}, "whole number"),
        ({"pictures": np.full((1, 2, 3), -1)}, "whole number"),
        ({"pictures": np.full((1, 2, 3), np.nan)}, "whole number"),
        ({"pictures": np.full((1, 2, 3), None)}, "more than numbers"),
    ],
)
def test_an_array_unlike_what_is_declared_is_refused(arrays: Any, said: str) -> None:
    with pytest.raises(Refusal, match=said):
        array(**arrays)


ARRAY, PICTURE = "numpy.load", "PIL.Image.open"


@pytest.mark.parametrize("reader", [ARRAY, PICTURE])
def test_too_little_memory_is_not_a_broken_file(
    reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise MemoryError

    one = png(ONE)
    monkeypatch.setattr(reader, full)
    read: Callable[[], object] = {
        ARRAY: lambda: array(pictures=ONE[None], labels=np.array(["cat"])),
        PICTURE: lambda: archive({"cat/a.png": one}),
    }[reader]
    with pytest.raises(MemoryError):
        read()
