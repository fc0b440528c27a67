"""Pictures in an array of numpy (.npz): “pictures”, and “labels” where they are declared."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import ByteArray
from understudy.core.refusal import Refusal
from understudy.table.pictures.declared import Pictures
from understudy.table.pictures.grey import GreySet, levels_of
from understudy.table.sources.size_limits import check_unpacked
from understudy.table.sources.source import Source

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
    return GreySet(about, levels_of(found, about), _labels(source.name, arrays, about, len(found)))


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
