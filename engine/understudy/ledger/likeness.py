"""How a table is recognised: an exact fingerprint, and a sketch for tables nearly the same.

Both are computed in one pass over its texts, piece by piece; in memory are one piece and the
distinct texts of a column. The same values give the same fingerprint and sketch, whatever the kind
of file, the order of rows and columns and the schema, and whether it is read whole or in pieces.

**Spelling.** A table that was saved again as another kind of file has the same values under other
texts: 3 as 3.0, a day as its midnight, nothing as “NA”. To know it again, values that may mean the
same are taken for the same; nothing else is done with these texts.

**Hashes.** A text's hash is SipHash-2-4 under two keys, 128 bits. A cell's is the text's hash
enciphered by AES under a key of its column, a record's the sum of its cells' enciphered by AES
under a key for records, and a table's the sum of those of its records. Sums are of two numbers
modulo 2⁶⁴. So the order of columns and of records is lost, and nothing else but by accident. Two
different records have the same sum of cells with a chance of 2⁻¹²⁸ or so, over the keys, as one
cell of them differs and its hash is as good as random. AES then takes the sums apart: without it,
the sum over a table would be that of its cells, and the two records (1, 2), (3, 4) would weigh as
much as (1, 4), (3, 2). Two different tables differ in how often some record occurs, by d times, and
their sums are equal only where d times a number as good as random is 0 in both halves: 2⁻¹²⁸ for an
odd d, and at most 2⁻⁶² for any d that a table of fewer than 2³³ records can reach. (Clarke,
Devadas, van Dijk, Gassend and Suh 2003 call such sums MSet-Add-Hash, and prove that under a secret
key not even somebody who chooses the tables finds two alike.)

**Sketches.** A sketch holds the smallest `KEPT` of the keyed hashes of the table's different
records (a bottom-k sketch, Cohen and Kaplan 2007), and one hash of all texts of each column. Which
hashes are small has nothing to do with what the records say, so the records under a bound that both
sketches reach are a random sample of either table's different records, and the share of them that
is in the other estimates the share of all. Sketches are files beside the ledger's key, for its
owner only. They are never exported and stand in no packet and no log. Each is enciphered under a
key made from the ledger's, so that a sketch that gets about without the key tells nothing but how
many columns a table has.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from understudy.core.files import atomic_file, make_private, sync_folder
from understudy.core.proportion import exact_interval
from understudy.core.refusal import Refusal
from understudy.table.missing_codes import MISSING_TOKENS
from understudy.table.sources.cell_texts import AnyTable, Block, blocks, column_names

KEPT = 4096
"""Records of which a hash is kept. With as many, one record in a hundred in common is missed with a
chance of 10⁻¹⁷; one in 1,024, with 2 %."""

MANY = 64
"""Different texts with which one column that is the same is no accident."""

TELLING = 0.01
"""The share of records in common that is asked about, where it may be as much."""

LEVEL = 0.95

_LARGEST = np.iinfo(np.uint64).max
_VERSION = 1


@dataclass(frozen=True)
class ColumnSketch:
    """What a column is known by, whatever it is called and however it is sorted.

    Attributes:
        hash: keyed, of all its texts and how often each occurs.
        different: how many different texts it has, counted up to `MANY`.
    """

    hash: int
    different: int


@dataclass(frozen=True)
class SharedRecords:
    """A share of the different records of a table that are in another, estimated.

    Attributes:
        found: how many of those compared are.
        compared: how many were compared.
    """

    found: int
    compared: int

    @property
    def estimate(self) -> float:
        """The share; 0 where nothing could be compared."""
        return self.found / self.compared if self.compared else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The exact interval of the share, at `LEVEL`."""
        return exact_interval(self.found, self.compared, LEVEL)

    @property
    def telling(self) -> bool:
        """Whether some are there, and they may be `TELLING` of all."""
        return self.found > 0 and self.interval[1] >= TELLING


@dataclass(frozen=True)
class Overlap:
    """What two tables have in common.

    Attributes:
        of_this: of the different records of the one at hand, those that are in the other.
        of_other: of the other's, those that are in the one at hand.
        columns: how many of its columns are, as a whole, columns of the other.
        identifying: whether one of these has `MANY` different texts.
    """

    of_this: SharedRecords
    of_other: SharedRecords
    columns: int
    identifying: bool

    @property
    def telling(self) -> bool:
        """Whether the two may well be of the same people, so that it has to be asked."""
        by_columns = self.columns > 1 or self.identifying
        return self.of_this.telling or self.of_other.telling or by_columns


@dataclass(frozen=True, eq=False)
class Sketch:
    """What is kept of a table. Secret: with the ledger's key, guesses can be tested against it.

    Attributes:
        rows: how many records it has.
        least: the smallest hashes of its different records, sorted; all of them where it has fewer
            than `KEPT` different records.
        columns: one for each column.
    """

    rows: int
    least: npt.NDArray[np.uint64]
    columns: tuple[ColumnSketch, ...]

    def overlap(self, other: Sketch) -> Overlap:
        """Return what this table has in common with another, under the same key."""
        bound = min(self._reach, other._reach)
        mine, its = (each.least[each.least <= bound] for each in (self, other))
        both = len(np.intersect1d(mine, its, assume_unique=True))
        there = {each.hash for each in other.columns}
        # A column of one text is the same in every table of as many records.
        same = [each for each in self.columns if each.different > 1 and each.hash in there]
        return Overlap(
            SharedRecords(both, len(mine)),
            SharedRecords(both, len(its)),
            len(same),
            any(each.different >= MANY for each in same),
        )

    @property
    def _reach(self) -> int:
        """Up to where every hash of the table is here."""
        return int(self.least[-1]) if len(self.least) == KEPT else _LARGEST

    def to_bytes(self) -> bytes:
        """Return the sketch as bytes for `read`; their number tells nothing but the number of
        columns."""
        padded = np.zeros(KEPT, dtype="<u8")
        padded[: len(self.least)] = self.least
        about = {
            "version": _VERSION,
            "rows": self.rows,
            "least": len(self.least),
            "columns": [[f"{each.hash:016x}", each.different] for each in self.columns],
        }
        return padded.tobytes() + json.dumps(about).encode()

    @classmethod
    def read(cls, said: bytes) -> Sketch:
        """Return what `to_bytes` wrote.

        Raises:
            Refusal: it is something else.
        """
        try:
            about = json.loads(said[KEPT * 8 :])
            if about["version"] != _VERSION:
                raise ValueError
            least = np.frombuffer(said[: KEPT * 8], dtype="<u8")[: about["least"]]
            columns = tuple(ColumnSketch(int(each, 16), many) for each, many in about["columns"])
            return cls(about["rows"], least.astype(np.uint64), columns)
        except (ValueError, KeyError, TypeError):
            raise Refusal(
                "A sketch of a table is not of the form that Understudy writes.",
                "Put the ledger’s folder back from a backup.",
                field="ledger",
            ) from None


Hashes = npt.NDArray[np.uint64]
"""(n, 2): 128 bits each, in two halves."""

_AT_ONCE = 1 << 16
_SIP_KEY = 16
_SEVEN_BITS = 0x7F


@dataclass(frozen=True)
class Keys:
    """The keys that are made from a ledger's one, each for one use.

    Attributes:
        ledger: the ledger's key.
    """

    ledger: bytes

    def derive_key(self, use: str) -> bytes:
        """Return 32 bytes for one use, from which neither the key nor those for other uses
        follow."""
        return hmac.new(self.ledger, use.encode(), hashlib.sha256).digest()

    def texts(self, texts: pa.Array) -> Hashes:
        """Return the hash of each text."""
        # The process of a run debits and hashes nothing, and would take 0.4 s to load pandas.
        from pandas.util import hash_array

        found = np.empty((len(texts), 2), dtype=np.uint64)
        for start in range(0, len(texts), _AT_ONCE):
            some = texts.slice(start, _AT_ONCE).to_numpy(zero_copy_only=False)
            for half, key in enumerate(self._sip):
                found[start : start + len(some), half] = hash_array(
                    some, hash_key=key, categorize=False
                )
        return found

    def cells(self, column: str, texts: Hashes) -> Hashes:
        """Return the hash of each cell of a column, from that of its text."""
        return _encipher(self.derive_key(f"cells {column}"), texts)

    def records(self, sums: Hashes) -> Hashes:
        """Return the hash of each record, from the sum of those of its cells."""
        return _encipher(self.derive_key("records"), sums)

    @cached_property
    def _sip(self) -> tuple[str, str]:
        """Two keys of 112 bits, as the library takes them: in letters."""
        made = self.derive_key("texts")
        letters = "".join(chr(byte & _SEVEN_BITS) for byte in made)
        return letters[:_SIP_KEY], letters[_SIP_KEY:]

    def seal(self, use: str, said: bytes) -> str:
        """Return an HMAC-SHA256 in hex, which tells nothing without the key."""
        return hmac.new(self.derive_key(use), said, hashlib.sha256).hexdigest()


def _encipher(key: bytes, hashes: Hashes) -> Hashes:
    """Return each hash as one block of AES: whatever is added up here is not what was added up
    before."""
    cipher = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    plain = np.ascontiguousarray(hashes, dtype="<u8").tobytes()
    found = np.frombuffer(cipher.update(plain), dtype="<u8")
    return found.astype(np.uint64).reshape(-1, 2)


_MOST_DIGITS = 400
"""More than any number has that a program keeps in eight bytes."""

_NUMBER = r"[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?"
_PLAIN = r"^(0|-?[1-9][0-9]*|-?(0|[1-9][0-9]*)\.[0-9]*[1-9])$"
_MOMENT = r"([0-9]{4,}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?)Z?"
_OTHERWISE = rf"^(\s.*|.*\s|(?i:true|false)|{_NUMBER}|{_MOMENT})$"

_IS_NUMBER, _IS_MOMENT = re.compile(_NUMBER), re.compile(_MOMENT)


def spell_alike(texts: pa.Array) -> pa.Array:
    """Return each text in its canonical form; most have it already."""
    texts = texts.cast(pa.string())
    may = pc.match_substring_regex(texts, f"(?s){_OTHERWISE}")
    plain = pc.match_substring_regex(texts, _PLAIN)
    missing = pc.is_in(texts, pa.array(MISSING_TOKENS, pa.string()))
    to_do = pc.or_(missing, pc.and_not(may, plain))
    if not pc.any(to_do).as_py():
        return texts
    changed = [hash_one_way(text) for text in texts.filter(to_do).to_pylist()]
    return pc.replace_with_mask(texts, to_do, pa.array(changed, pa.string()))


def hash_one_way(text: str) -> str:
    """Return the canonical form of a text."""
    text = text.strip()
    if text in MISSING_TOKENS:
        return ""
    if text.lower() in ("true", "false"):
        return text.lower()
    if _IS_NUMBER.fullmatch(text):
        return _number(text.replace(",", "."))
    found = _IS_MOMENT.fullmatch(text)
    return text if found is None else _moment(found[1], found[2])


def _number(text: str) -> str:
    """Return a number without sign, point or digits that it can do without."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    if not number:
        return "0"
    if abs(number.adjusted()) > _MOST_DIGITS:
        return text
    written = f"{number:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def _moment(day: str, time: str) -> str:
    """Return a point in time; a midnight is its day."""
    seconds = time if time.count(":") > 1 else f"{time}:00"
    seconds = seconds.rstrip("0").rstrip(".") if "." in seconds else seconds
    return day if seconds == "00:00:00" else f"{day} {seconds}"


_REPEATED = 1 << 16
"""The most texts of a column whose hashes are kept for the next block."""


@dataclass(frozen=True)
class Likeness:
    """What a table is known by.

    Attributes:
        fingerprint: HMAC-SHA256, in hex; equal for tables of the same records.
        sketch: for tables that are nearly the same. Secret.
    """

    fingerprint: str
    sketch: Sketch = field(repr=False)


def measure_likeness(table: AnyTable, key: bytes) -> Likeness:
    """Return what a table is known by.

    Args:
        table: the confidential table; of one that is read piece by piece, all columns of its file.
            Records count as the texts that their codes stand for.
        key: the ledger's.

    Raises:
        Refusal: the file cannot be read, or was changed meanwhile.
    """
    keys = Keys(key)
    names = column_names(table)
    columns = [_Column(name, keys) for name in names]
    rows, total = 0, np.zeros(2, dtype=np.uint64)
    least = np.zeros(0, dtype=np.uint64)
    for block in blocks(table):
        hashes = keys.records(_sums(columns, block))
        rows += len(hashes)
        total += hashes.sum(axis=0, dtype=np.uint64)
        least = _least(least, hashes[:, 0])
    said = json.dumps([sorted(names), rows, [int(each) for each in total]])
    return Likeness(
        keys.seal("table", said.encode()),
        Sketch(rows, least, tuple(each.sketch(rows) for each in columns)),
    )


def _sums(columns: Sequence[_Column], block: Sequence[Block]) -> Hashes:
    """Return (n, 2) for each record the sum of the hashes of its cells."""
    sums = np.zeros((2, len(block[0].places)), dtype=np.uint64)
    for column, cells in zip(columns, block, strict=True):
        column.add_to(sums, cells)
    return sums.T


def _least(least: npt.NDArray[np.uint64], more: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the smallest different hashes so far."""
    if len(least) == KEPT:
        more = more[more < least[-1]]
    return np.union1d(least, more)[:KEPT] if len(more) else least


class _Column:
    """One column: the hashes of its texts, as long as the same ones go on, and their sum."""

    def __init__(self, name: str, keys: Keys) -> None:
        self._name, self._keys = name, keys
        self._known: pa.Array | None = None
        self._hashes: tuple[Hashes, Hashes]
        self._total = np.zeros(2, dtype=np.uint64)
        self._different = np.zeros(0, dtype=np.uint64)

    def add_to(self, sums: Hashes, block: Block) -> None:
        """Add the hashes of cells to those of their records.

        Args:
            sums: (2, n) the halves of the sums so far.
            block: the cells.
        """
        texts, places = block.texts, block.places.astype(np.intp, copy=False)
        if len(texts) > max(_REPEATED, len(places)):
            used, places = np.unique(places, return_inverse=True)
            texts = texts.take(pa.array(used))
        texts_hashes, cells = self._of(texts)
        counts = np.bincount(places, minlength=len(texts)).astype(np.uint64)
        self._total += (texts_hashes * counts[:, None]).sum(axis=0, dtype=np.uint64)
        if len(self._different) < MANY:
            seen = texts_hashes[counts > 0, 0]
            self._different = np.union1d(self._different, seen)[:MANY]
        for half in (0, 1):
            sums[half] += np.take(cells[:, half], places)

    def _of(self, texts: pa.Array) -> tuple[Hashes, Hashes]:
        """Return the hashes of texts wherever they stand, and of texts in this column."""
        if self._known is None or not (texts is self._known or texts.equals(self._known)):
            found = self._keys.texts(spell_alike(texts))
            self._hashes = found, self._keys.cells(self._name, found)
            self._known = texts if len(texts) <= _REPEATED else None
        return self._hashes

    def sketch(self, rows: int) -> ColumnSketch:
        """Return what the column is known by, whatever it is called."""
        said = json.dumps([rows, [int(each) for each in self._total]])
        seal = self._keys.seal("column", said.encode())
        return ColumnSketch(int(seal[:16], 16), len(self._different))


_NONCE = 12
_USE = "sketches"


class Sketches:
    """The sketches of one ledger.

    Args:
        place: the folder that they are in.
    """

    def __init__(self, place: Path) -> None:
        self._place = place

    def keep(self, fingerprint: str, sketch: Sketch, key: bytes) -> None:
        """Keep the sketch of a table, whole or not at all, unless it is there.

        Raises:
            Refusal: it cannot be written.
        """
        if self.of(fingerprint, key) is not None:
            return
        nonce = secrets.token_bytes(_NONCE)
        sealed = _cipher(key).encrypt(nonce, sketch.to_bytes(), fingerprint.encode())
        try:
            make_private(self._place)
            with atomic_file(self._place / fingerprint) as file:
                file.write(nonce + sealed)
            sync_folder(self._place)
        except OSError:
            raise Refusal(
                f"The folder {self._place}, by which tables are known again, cannot be written.",
                "Check that it is yours and that the disk is not full. Nothing is run or spent "
                "without it.",
                field="ledger",
            ) from None

    def of(self, fingerprint: str, key: bytes) -> Sketch | None:
        """Return the sketch of a table; None where it is lost or damaged."""
        with suppress(OSError, InvalidTag, ValueError, Refusal):
            said = (self._place / fingerprint).read_bytes()
            opened = _cipher(key).decrypt(said[:_NONCE], said[_NONCE:], fingerprint.encode())
            return Sketch.read(opened)
        return None


def _cipher(key: bytes) -> AESGCM:
    return AESGCM(Keys(key).derive_key(_USE))
