"""Types of arrays by what their entries are; how many dimensions an array has is for its user to
say."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
"""Counts, indices, identifiers."""

FloatArray = npt.NDArray[np.float64]
"""Shares, weights, probabilities, measurements."""

BoolArray = npt.NDArray[np.bool_]
"""Flags: a mask of rows, an answer for each entry."""

CodeArray = npt.NDArray[np.uint16]
"""Codes of records: a column a field, numbered by its schema."""

ByteArray = npt.NDArray[np.uint8]
"""Levels of grey, and other numbers below 256."""

WordArray = npt.NDArray[np.uint64]
"""Random words of 64 bits, hashes, bit masks."""

ShortFloatArray = npt.NDArray[np.float32]
"""Numbers of single precision, as trees and networks take them."""

ShortIntArray = npt.NDArray[np.int32]
"""Indices that fit into 32 bits."""

TextArray = npt.NDArray[np.str_]
"""Names and labels."""

AnyArray = npt.NDArray[np.generic]
"""Entries of any type."""

NamedArrays = Mapping[str, AnyArray]
"""What a state or a model is kept as: arrays by name."""
