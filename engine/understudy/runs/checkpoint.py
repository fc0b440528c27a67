"""What a run keeps until it has ended, so that it can go on after its process was killed: what its
random numbers follow from, a digest by which its table is recognised, and its state. Internal.
Of the table no copy is kept.

internal/unfinished/secret         what its random numbers follow from; see `Secret`
internal/unfinished/about.json     whether the secret is a fixed seed, whether figures are wanted,
                                   the program that began the run, and the table's fingerprint
internal/unfinished/tape           what OpenDP drew while the model is learned; see `KeptTape`
internal/unfinished/alone          there as soon as something is drawn that is on no tape
internal/unfinished/learned.npz    what was drawn and learned before the first output
internal/unfinished/tape.erased    there once that was kept: whatever was drawn is drawn for good
internal/unfinished/reached.json   how far the outputs are
internal/unfinished/NAME.codes     the records so far of a table in Parquet
release.partial/NAME.csv           the same, of one in CSV
release.partial/NAME.json          figures that were made already

The folder is there whole before the run is debited, and is gone at once when the run has ended for
good, before anything in it is erased: it is there whole or not at all.
From it and the table the run goes on to the very release that it would have come to: every random
number of it follows from the secret, or is on the tape before it is used. See docs/guarantee.md.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from understudy.core.files import make_private, replace_text, sync_folder, write_internal_arrays
from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import Arrays, PlannedRun, State
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.registry import mechanism_of
from understudy.privacy.randomness import Secret
from understudy.privacy.tape import KeptTape
from understudy.runs.folder import UNREADABLE, RunFolder
from understudy.runs.table_file import Written
from understudy.table.records import Records
from understudy.table.sources.streamed_table import StreamedTable, in_pieces

_SALT_BYTES = 32


@dataclass(frozen=True)
class Fingerprint:
    """A salted digest of a table. Confidential: a guess of the whole table can be tried on it.

    Attributes:
        salt: 32 bytes, of this fingerprint only.
        digest: of the table, with the salt.
        records: how many it has.
    """

    salt: bytes = field(repr=False)
    digest: bytes = field(repr=False)
    records: int = field(repr=False)

    @classmethod
    def of(cls, records: Records | StreamedTable) -> Fingerprint:
        """Return the fingerprint of a table.

        Raises:
            Refusal: it is read piece by piece, and cannot be read to its end.
        """
        salt = secrets.token_bytes(_SALT_BYTES)
        return cls(salt, _digest(records, salt), len(records))

    def check(self, records: Records | StreamedTable) -> None:
        """Check that a table is the same.

        Raises:
            Refusal: it is another, or cannot be read to its end.
        """
        if len(records) != self.records or not secrets.compare_digest(
            _digest(records, self.salt), self.digest
        ):
            raise Refusal(
                "This is not the table that the run was made from.",
                "Open the file as it was then, its records in the same order, with the same "
                "columns and the same choices for values outside the schema.",
                field="table",
            )


def _digest(records: Records | StreamedTable, salt: bytes) -> bytes:
    """BLAKE2b, salted, over the names of the columns, the texts of their values, the codes, and the
    numbers of measured columns."""
    columns = [[column.name, list(column.texts)] for column in records.schema.columns]
    hashed = hashlib.blake2b(key=salt, digest_size=32)
    hashed.update(json.dumps(columns).encode())
    hashed.update(b"\0")
    # Apart, so that it does not matter how many pieces a table is read in.
    measured = hashlib.blake2b(key=salt, digest_size=32)
    for piece in in_pieces(records):
        hashed.update(np.ascontiguousarray(piece.codes, dtype="<u2").data)
        if piece.numbers is not None:
            measured.update(np.ascontiguousarray(piece.numbers, dtype="<f8").data)
    if records.schema.measured_places:
        hashed.update(measured.digest())
    return hashed.digest()


_SALT: Final = "salt"
_DIGEST: Final = "digest"
_RECORDS: Final = "records"


@dataclass(frozen=True, eq=False)
class StoredArrays:
    """What one file holds. Confidential.

    Attributes:
        fingerprint: of the run's table.
        state: of the run, and what it left to be looked at; see `State.arrays` and `Look`.
    """

    fingerprint: Fingerprint
    state: Arrays

    @classmethod
    def load(cls, path: Path) -> StoredArrays:
        """Read what `save` wrote.

        Raises:
            OSError, ValueError, KeyError, zipfile.BadZipFile, EOFError: it cannot be read.
        """
        with np.load(path, allow_pickle=False) as file:
            found = {name: file[name] for name in file.files}
        salt, digest = (found.pop(name).tobytes() for name in (_SALT, _DIGEST))
        fingerprint = Fingerprint(salt, digest, int(found.pop(_RECORDS)[0]))
        return cls(fingerprint, found)

    def save(self, path: Path) -> None:
        """Write it, whole, for its owner only.

        Raises:
            OSError: it cannot be written.
        """
        known = {
            _SALT: np.frombuffer(self.fingerprint.salt, np.uint8),
            _DIGEST: np.frombuffer(self.fingerprint.digest, np.uint8),
            _RECORDS: np.array([self.fingerprint.records]),
        }
        write_internal_arrays(path, {**known, **self.state})


_SECRET, _ABOUT, _REACHED, _TAPE = "secret", "about.json", "reached.json", "tape"
_TAPE_ERASED = "tape.erased"
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Held:
    """What a run holds from its debit on. Confidential.

    Attributes:
        secret: what its random numbers follow from.
        fingerprint: of its table.
        figures: whether figures are wanted at its end.
    """

    secret: Secret
    fingerprint: Fingerprint
    figures: bool


@dataclass(frozen=True)
class Position:
    """How far a run is, and its files with it.

    Attributes:
        at: where it goes on; see `Chunk.reached`.
        done: how much of `Mechanism.steps` is done.
        written: what is in the file that each table grows in, by the name of the output.
        figures: the SHA-256 of each file of figures that was made, by the name of the output.
    """

    at: int = 0
    done: int = 0
    written: Mapping[str, Written] = field(default_factory=dict)
    figures: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _About:
    stained: bool
    figures: bool
    program: str
    salt: str
    digest: str
    records: int


def save_start(run: RunFolder, held: Held, plan: MechanismPlan) -> None:
    """Write what a run resumes from, all of it or nothing, and wait until it is on the disk.

    Args:
        run: the run, which is not debited yet.
        held: what it goes on from.
        plan: what it does.

    Raises:
        OSError: it cannot be written.
    """
    make_private(run.internal)
    partial = _hidden_place(run)
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(mode=0o700)
    _write_secret(partial / _SECRET, held.secret.key)
    known = held.fingerprint
    about = _About(
        held.secret.seeded,
        held.figures,
        mechanism_of(plan).program(),
        known.salt.hex(),
        known.digest.hex(),
        known.records,
    )
    replace_text(partial / _ABOUT, json.dumps(asdict(about)))
    partial.rename(run.unfinished)
    for folder in (run.unfinished, run.internal, run.path):
        sync_folder(folder)


def load_start(run: RunFolder, plan: MechanismPlan) -> Held:
    """Return what a run of this plan goes on from.

    Raises:
        Refusal: it was begun with another version of the program, or what it kept cannot be read.
    """
    with run.intact():
        about = _About(**json.loads((run.unfinished / _ABOUT).read_text(encoding="utf-8")))
    _check_program(about.program, mechanism_of(plan).program())
    with run.intact():
        key = (run.unfinished / _SECRET).read_bytes()
        if not any(key):
            raise ValueError("the secret was erased")
        known = Fingerprint(
            bytes.fromhex(about.salt), bytes.fromhex(about.digest), int(about.records)
        )
        return Held(Secret(key, about.stained), known, about.figures)


def open_tape(run: RunFolder, secret: Secret) -> KeptTape:
    """Return the file to which random numbers drawn while the model is learned are written before
    they are used, so that a resumed run draws the same.

    Raises:
        OSError: it cannot be written.
    """
    return KeptTape(run.unfinished / _TAPE, secret)


def note_external_randomness(run: RunFolder) -> None:
    """Note that from here on random numbers are used that are on no tape, so that a run killed
    while it learns cannot be resumed.

    Raises:
        OSError: it cannot be noted.
    """
    run.alone.touch(mode=0o600)
    sync_folder(run.unfinished)


def save_learned(run: RunFolder, held: Held, state: State) -> None:
    """Write what was learned, all of it or nothing, and wait until it is on the disk; then erase
    the tape, which is no longer needed.

    Raises:
        OSError: it cannot be written.
    """
    StoredArrays(held.fingerprint, state.arrays()).save(run.learned)
    sync_folder(run.unfinished)
    tape = run.unfinished / _TAPE
    _erase(tape)
    with suppress(FileNotFoundError):
        tape.rename(run.unfinished / _TAPE_ERASED)


def load_learned(run: RunFolder, decided: PlannedRun) -> State | None:
    """Return what a run had drawn and learned.

    Args:
        run: the run.
        decided: what it does.

    Returns:
        None if it has still to learn.

    Raises:
        Refusal: what it kept cannot be read, or is gone: without it and without the tape, the run
            would draw a second time.
    """
    if not run.learned.exists():
        if (run.unfinished / _TAPE_ERASED).exists():
            raise run.refuse_damaged()
        return None
    with run.intact():
        state = StoredArrays.load(run.learned).state
        return decided.mechanism.restore(decided, state)


def save_position(run: RunFolder, position: Position) -> None:
    """Write how far a run is; its files must be on the disk up to there.

    Raises:
        OSError: it cannot be written.
    """
    replace_text(run.unfinished / _REACHED, json.dumps(asdict(position)))


def read_position(run: RunFolder) -> Position | None:
    """Return how far a run was; None where nothing of it can be used, so that its outputs are made
    again from the first, with the same outcome."""
    try:
        said = json.loads((run.unfinished / _REACHED).read_text(encoding="utf-8"))
        written = {name: Written(**each) for name, each in said["written"].items()}
        return Position(int(said["at"]), int(said["done"]), written, dict(said["figures"]))
    except (*UNREADABLE, AttributeError):
        return None


def erase(run: RunFolder) -> None:
    """Erase what a run was to go on from, its secret first. It cannot go on then.

    What a file system or a backup keeps of erased files is beyond reach.
    """
    with suppress(OSError):
        # It goes by this name no longer before any of it changes: whoever is killed in here, or
        # loses power, leaves no half of it to go on from.
        run.unfinished.rename(_hidden_place(run))
        sync_folder(run.internal)
    for place in (run.unfinished, _hidden_place(run)):
        # What was learned holds the noise of an acceptance test.
        for name in (_SECRET, _TAPE, run.learned.name):
            _erase(place / name)
        shutil.rmtree(place, ignore_errors=True)
    shutil.rmtree(run.partial, ignore_errors=True)
    with suppress(OSError):
        run.internal.rmdir()


def discard(run: RunFolder) -> None:
    """Erase what a run was to go on from, and take its folder away."""
    erase(run)
    shutil.rmtree(run.path, ignore_errors=True)


def _hidden_place(run: RunFolder) -> Path:
    """Return where the folder is while it is written, and while it is erased."""
    return run.internal / f".{run.unfinished.name}.part"


def _check_program(begun_with: str, here: str) -> None:
    if begun_with != here:
        raise Refusal(
            "The run was begun with another version of the program, or on another kind of "
            "processor, and would go on otherwise here than it began.",
            "Resume it with the version and on the machine that it was begun with, or start a new "
            "run, which is a new spend.",
        )


def _write_secret(path: Path, key: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(key)
        file.flush()
        os.fsync(file.fileno())


def _erase(path: Path) -> None:
    """Write over a file before it goes."""
    try:
        with path.open("r+b") as file:
            left = path.stat().st_size
            while left:
                left -= file.write(bytes(min(_BLOCK, left)))
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        return
