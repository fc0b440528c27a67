"""Pictures of a folder, a ZIP archive or an array of numpy, as levels of grey.

A file of a picture is opened only after its declared size was compared (`many_files`). No refusal
names a file, whose name may be a person's.
"""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from understudy.core.arrays import ByteArray
from understudy.core.refusal import Refusal
from understudy.table.pictures.grey import GreySet, grey_levels
from understudy.table.pictures.picture_schema import Pictures
from understudy.table.sources.many_files import Folder, ManyFiles
from understudy.table.sources.source import Source, check_unpacked

# Pictures in an array of numpy (.npz): “pictures”, and “labels” where they are declared.

PICTURES, LABELS = "pictures", "labels"


def read_array(source: Source, about: Pictures) -> GreySet:
    """Return the pictures of a file.

    Raises:
        Refusal: it is damaged or unpacks to too much, or its arrays are not as declared.
    """
    arrays = _arrays(source)
    found = arrays.get(PICTURES)
    if found is None or found.ndim != 3 or found.shape[1:] != about.in_file or not len(found):
        height, width = about.in_file
        raise Refusal(
            f"{source.name} has no array “{PICTURES}” of (n, {height}, {width}).",
            "Save the pictures as one array under that name, or declare the size that they have.",
            field="table",
        )
    if found.dtype.kind not in "uib" or found.min() < 0 or found.max() > about.white:
        raise Refusal(
            f"A pixel in {source.name} is no whole number from 0 to {about.white}.",
            "Declare what white is in the file, or save the pixels as whole numbers.",
            field="white",
        )
    return GreySet(
        about, grey_levels(found, about), _labels(source.name, arrays, about, len(found))
    )


def _arrays(source: Source) -> dict[str, npt.NDArray[Any]]:
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            check_unpacked(source, sum(each.file_size for each in archive.infolist()))
        with np.load(io.BytesIO(source.data), allow_pickle=False) as arrays:
            return {each: arrays[each] for each in (PICTURES, LABELS) if each in arrays.files}
    except (Refusal, MemoryError):
        raise
    # What a broken file makes the reader raise is of any kind.
    except Exception:
        raise Refusal(
            f"{source.name} is no file of arrays (.npz), damaged, or holds more than numbers.",
            "Save it again by numpy.savez_compressed.",
            field="table",
        ) from None


def _labels(
    name: str, arrays: dict[str, npt.NDArray[Any]], about: Pictures, count: int
) -> ByteArray:
    if not about.labels:
        return np.zeros(count, dtype=np.uint8)
    found = arrays.get(LABELS)
    places = {label: place for place, label in enumerate(about.labels)}
    texts = [] if found is None or found.shape != (count,) else [str(each) for each in found]
    if not texts or not set(texts) <= places.keys():
        raise Refusal(
            f"{name} has no array “{LABELS}” with a declared label of each picture.",
            "Save the labels under that name, or declare all of them.",
            field="labels",
        )
    return np.array([places[each] for each in texts], dtype=np.uint8)


_MOST_A_FILE = 16 << 20
_ENDINGS = (".png", ".bmp", ".pgm", ".jpg", ".jpeg", ".gif")
_FORMATS = ("PNG", "BMP", "PPM", "JPEG", "GIF")
_GREY = ("L", "1")
_WHITE = 255


def _is_picture(name: str) -> bool:
    return name.lower().endswith(_ENDINGS) and not PurePosixPath(name).name.startswith(".")


FILES: Final = ManyFiles(_is_picture, _MOST_A_FILE, "pictures", "Take fewer, or smaller ones.")
"""Pictures in a folder or an archive."""


def read_pictures(asked: Source | Folder, about: Pictures) -> GreySet:
    """Return the pictures of a ZIP archive, of an array of numpy (.npz) or of a folder and those
    within it, in the order of their paths, as they are declared.

    The label of a picture is the name of the folder that it lies in.

    Raises:
        Refusal: there is none, one is broken, unlike what is declared, coloured, moving, finer than
            256 levels or without a declared label; or the file is damaged or too large.
    """
    if isinstance(asked, Folder):
        return _gather_pictures("the folder", FILES.within(asked), about)
    if Path(asked.name).suffix.lower() == ".npz":
        return read_array(asked, about)
    return _gather_pictures(asked.name, FILES.unpack(asked), about)


def _gather_pictures(name: str, files: Iterable[tuple[str, bytes]], about: Pictures) -> GreySet:
    if about.white != _WHITE:
        raise Refusal("White is 255 in files of pictures.", "Leave it out.", field="white")
    grey: list[ByteArray] = []
    labels: list[int] = []
    places = {label: place for place, label in enumerate(about.labels)}
    for number, (path, data) in enumerate(files, 1):
        which = f"Picture {number:,} in {name}, by the order of their names,"
        grey.append(grey_levels(_pixels(data, which, about)[None], about)[0])
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


def _pixels(data: bytes, which: str, about: Pictures) -> ByteArray:
    """Return (h·f, w·f) levels of a picture.

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
    except (Refusal, MemoryError):
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
