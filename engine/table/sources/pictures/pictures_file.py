"""Pictures of a folder, a ZIP archive or an array of numpy, as levels of grey.

A file of a picture is opened only after its declared size was compared, so that none unpacks to
more than was declared. No refusal names a file, whose name may be a person's.
"""

from __future__ import annotations

import io
import os
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from engine.core.refusal import Refusal
from engine.table.pictures.declared import Pictures
from engine.table.pictures.grey import GreySet, levels_of
from engine.table.sources.pictures.array_file import read_array
from engine.table.sources.size_limits import check_unpacked
from engine.table.sources.source import GIB, Source

MOST_FILES: Final = 200_000
MOST_BYTES: Final = 4 * GIB
"""The most pictures of an archive or a folder, and the most bytes of all in a folder."""

_MOST_A_FILE = 16 << 20
_ENDINGS = (".png", ".bmp", ".pgm", ".jpg", ".jpeg", ".gif")
_FORMATS = ("PNG", "BMP", "PPM", "JPEG", "GIF")
_GREY = ("L", "1")
_WHITE = 255


@dataclass(frozen=True)
class PictureFolder:
    """A folder of pictures.

    Attributes:
        path: where it is.
        size: how many bytes its pictures have together.
    """

    path: Path
    size: int


def picture_folder(path: Path) -> PictureFolder:
    """A folder, and how much is in it.

    Raises:
        Refusal: it holds more pictures than are read, or more bytes.
    """
    sizes = [each.stat().st_size for each in _files(path)]
    if len(sizes) > MOST_FILES or sum(sizes) > MOST_BYTES:
        raise _too_many("The folder")
    return PictureFolder(path, sum(sizes))


def read_pictures(asked: Source | PictureFolder, about: Pictures) -> GreySet:
    """The pictures of a ZIP archive, of an array of numpy (.npz) or of a folder and those within
    it, in the order of their paths, as they are declared.

    The label of a picture is the name of the folder that it lies in.

    Raises:
        Refusal: there is none, one is broken, unlike what is declared, coloured, moving, finer than
            256 levels or without a declared label; or the file is damaged or too large.
    """
    if isinstance(asked, PictureFolder):
        return _gathered("the folder", _contents(asked.path), about)
    if Path(asked.name).suffix.lower() == ".npz":
        return read_array(asked, about)
    return _gathered(asked.name, _unpacked(asked), about)


def _contents(path: Path) -> Iterator[tuple[str, bytes]]:
    for each in _files(path):
        if each.stat().st_size > _MOST_A_FILE:
            raise _too_many("The folder")
        yield each.relative_to(path).as_posix(), each.read_bytes()


def _files(path: Path) -> list[Path]:
    """The pictures below a folder, none of them a link, in the order of their paths."""
    below = (Path(top, name) for top, _, names in os.walk(path) for name in names)
    return sorted(each for each in below if _is_picture(each.name) and not each.is_symlink())


def _is_picture(name: str) -> bool:
    return name.lower().endswith(_ENDINGS) and not PurePosixPath(name).name.startswith(".")


def _unpacked(source: Source) -> Iterator[tuple[str, bytes]]:
    """The pictures in an archive, in the order of their names; all others stay packed. Nothing is
    written anywhere, so that a name leads nowhere."""
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            found = sorted(
                (each for each in archive.infolist() if _is_picture(each.filename)),
                key=lambda each: each.filename,
            )
            check_unpacked(source, sum(each.file_size for each in found))
            if len(found) > MOST_FILES or any(each.file_size > _MOST_A_FILE for each in found):
                raise _too_many(source.name)
            for each in found:
                with archive.open(each) as file:
                    yield each.filename, file.read(each.file_size)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError):
        raise Refusal(
            f"{source.name} is not a ZIP archive, or one that is damaged, cut short, protected by "
            "a password or packed in a way that cannot be read.",
            "Pack the pictures anew, without a password.",
            field="table",
        ) from None


def _gathered(name: str, files: Iterable[tuple[str, bytes]], about: Pictures) -> GreySet:
    if about.white != _WHITE:
        raise Refusal("White is 255 in files of pictures.", "Leave it out.", field="white")
    grey: list[npt.NDArray[np.uint8]] = []
    labels: list[int] = []
    places = {label: place for place, label in enumerate(about.labels)}
    for number, (path, data) in enumerate(files, 1):
        which = f"Picture {number:,} in {name}, by the order of their names,"
        grey.append(levels_of(_pixels(data, which, about)[None], about)[0])
        label = PurePosixPath(path).parent.name
        if places and label not in places:
            raise Refusal(
                f"{which} lies in no folder that is called like a declared label.",
                "Put each picture into a folder of its label, or declare all labels.",
                field="labels",
            )
        labels.append(places.get(label, 0))
    if not grey:
        raise Refusal(
            f"There is no picture in {name}.",
            f"Pictures are files that end in {', '.join(_ENDINGS)}.",
            field="table",
        )
    return GreySet(about, np.array(grey), np.array(labels, dtype=np.uint8))


def _pixels(data: bytes, which: str, about: Pictures) -> npt.NDArray[np.uint8]:
    """(h·f, w·f) of a picture.

    Raises:
        Refusal: it is not as declared, or broken.
    """
    height, width = about.in_file
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with Image.open(io.BytesIO(data), formats=_FORMATS) as picture:
                _check(picture, which, height, width)
                return np.asarray(picture.convert("L"), dtype=np.uint8)
    except Refusal:
        raise
    # What a broken file makes the reader raise is of any kind.
    except Exception:
        raise Refusal(
            f"{which} is broken, or not what its ending says.",
            "Save it again with the program that made it, or leave it out.",
            field="table",
        ) from None


def _check(picture: Image.Image, which: str, height: int, width: int) -> None:
    if picture.size != (width, height):
        raise Refusal(
            f"{which} has not the declared size of {height} × {width} pixels.",
            "Bring all pictures to one size, or declare the size that they have.",
            field="table",
        )
    if getattr(picture, "n_frames", 1) != 1:
        raise Refusal(f"{which} moves.", "Save one frame of it.", field="table")
    if picture.mode.startswith("I") or picture.mode == "F":
        raise Refusal(
            f"{which} has more than 256 levels of grey.", "Save it with 8 bits.", field="table"
        )
    if picture.mode not in _GREY:
        raise Refusal(
            f"{which} has colours or transparency.", "Save it in grey, with 8 bits.", field="table"
        )


def _too_many(name: str) -> Refusal:
    return Refusal(
        f"{name} holds more pictures, or larger ones, than are read at once.",
        "Take fewer, or smaller ones.",
        field="table",
    )
