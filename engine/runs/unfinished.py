"""What a run keeps until it has ended, so that it can go on after its process was killed. Internal.

internal/unfinished/secret         what its random numbers follow from; see `Secret`
internal/unfinished/about.json     whether the secret is a fixed seed, whether figures are wanted,
                                   the program that began the run, and the table's fingerprint
internal/unfinished/tape           what OpenDP drew while the model is learned; see `KeptTape`
internal/unfinished/alone          there as soon as a third-party model learns, which draws for
                                   itself
internal/unfinished/learned.npz    which part each record went to, and the network
internal/unfinished/reached.json   how far the attempts are
internal/unfinished/codes          the records that passed so far, of a table in Parquet
release.partial/synthetic.csv      the same, of one in CSV

The folder is there whole before the run is debited, and is gone at once when the run has ended for
good, before anything in it is erased: it is there whole or not at all.
From it and the table the run goes on to the very release that it would have come to: every random
number of it follows from the secret, or is on the tape before it is used. See docs/guarantee.md.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.core.files import make_private, replace_text, sync_folder
from engine.core.refusal import Refusal
from engine.mechanisms.seedbased.chunks import program
from engine.models.sequential import Sequential
from engine.privacy.randomness import Secret
from engine.privacy.tape import KeptTape
from engine.runs.fingerprint import Fingerprint
from engine.runs.folder import UNREADABLE, RunFolder
from engine.runs.released import Written
from engine.runs.stored_arrays import Kept
from engine.table.schema import Schema

_SECRET, _ABOUT, _REACHED, _TAPE = "secret", "about.json", "reached.json", "tape"
_NETWORK = "network"
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


@dataclass(frozen=True, eq=False)
class Begun:
    """A run up to its first attempt: with the table, all that its release follows from.
    Confidential.

    Attributes:
        secret: what its random numbers follow from.
        parts: (n,) which part each record went to; see `assign`.
        network: the model its candidates come from.
    """

    secret: Secret
    parts: npt.NDArray[np.uint8]
    network: Sequential


@dataclass(frozen=True)
class Reached:
    """How far the attempts of a run are, and the table with them.

    Attributes:
        tried: how many attempts were made.
        written: what is in the file that the table grows in.
    """

    tried: int
    written: Written


@dataclass(frozen=True)
class _About:
    stained: bool
    figures: bool
    program: str
    salt: str
    digest: str
    records: int


def hold(run: RunFolder, held: Held) -> None:
    """Put down what a run goes on from, whole, and so that a power failure leaves it there.

    Args:
        run: the run, which is not debited yet.
        held: what it goes on from.

    Raises:
        OSError: it cannot be written.
    """
    make_private(run.internal)
    partial = _hidden(run)
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(mode=0o700)
    _write_secret(partial / _SECRET, held.secret.key)
    known = held.fingerprint
    about = _About(
        held.secret.seeded,
        held.figures,
        program(),
        known.salt.hex(),
        known.digest.hex(),
        known.records,
    )
    replace_text(partial / _ABOUT, json.dumps(asdict(about)))
    partial.rename(run.unfinished)
    for folder in (run.unfinished, run.internal, run.path):
        sync_folder(folder)


def held(run: RunFolder) -> Held:
    """What a run goes on from.

    Raises:
        Refusal: it was begun with another version of the program, or what it kept cannot be read.
    """
    with run.intact():
        about = _About(**json.loads((run.unfinished / _ABOUT).read_text(encoding="utf-8")))
    _check_program(about.program)
    with run.intact():
        key = (run.unfinished / _SECRET).read_bytes()
        if not any(key):
            raise ValueError("the secret was erased")
        known = Fingerprint(
            bytes.fromhex(about.salt), bytes.fromhex(about.digest), int(about.records)
        )
        return Held(Secret(key, about.stained), known, about.figures)


def tape(run: RunFolder, secret: Secret) -> KeptTape:
    """Where what is drawn while the model is learned goes before it is used.

    Raises:
        OSError: it cannot be written.
    """
    return KeptTape(run.unfinished / _TAPE, secret)


def learns_alone(run: RunFolder) -> None:
    """Note that a third-party model begins to learn: what it draws is on no tape.

    Raises:
        OSError: it cannot be noted.
    """
    run.alone.touch(mode=0o600)
    sync_folder(run.unfinished)


def keep(run: RunFolder, held: Held, begun: Begun) -> None:
    """Put down what was learned, whole, and so that a power failure leaves it there; the tape is
    erased, as nothing hangs on it any more.

    Raises:
        OSError: it cannot be written.
    """
    kept = Kept.of(held.fingerprint, begun.parts, {_NETWORK: begun.network})
    kept.save(run.learned)
    sync_folder(run.unfinished)
    _erase(run.unfinished / _TAPE)
    (run.unfinished / _TAPE).unlink(missing_ok=True)


def begun(run: RunFolder, held: Held, schema: Schema) -> Begun | None:
    """What a run had learned.

    Args:
        run: the run.
        held: what it goes on from.
        schema: of its table.

    Returns:
        None if it has still to learn.

    Raises:
        Refusal: what it kept cannot be read.
    """
    if not run.learned.exists():
        return None
    with run.intact():
        kept = Kept.load(run.learned)
        return Begun(held.secret, kept.parts, kept.network(schema, _NETWORK))


def reach(run: RunFolder, reached: Reached) -> None:
    """Put down how far a run is; the table must be on the disk so far.

    Raises:
        OSError: it cannot be written.
    """
    replace_text(run.unfinished / _REACHED, json.dumps(asdict(reached)))


def reached(run: RunFolder) -> Reached | None:
    """How far a run was; None where nothing of it can be used, so that the attempts are made again
    from the first, with the same outcome."""
    try:
        said = json.loads((run.unfinished / _REACHED).read_text(encoding="utf-8"))
        return Reached(int(said["tried"]), Written(**said["written"]))
    except UNREADABLE:
        return None


def forget(run: RunFolder) -> None:
    """Erase what a run was to go on from, its secret first. It cannot go on then.

    What a file system or a backup keeps of erased files is beyond reach.
    """
    with suppress(OSError):
        # It goes by this name no longer before any of it changes: whoever is killed in here, or
        # loses power, leaves no half of it to go on from.
        run.unfinished.rename(_hidden(run))
        sync_folder(run.internal)
    for place in (run.unfinished, _hidden(run)):
        for name in (_SECRET, _TAPE):
            _erase(place / name)
        shutil.rmtree(place, ignore_errors=True)
    shutil.rmtree(run.partial, ignore_errors=True)
    with suppress(OSError):
        run.internal.rmdir()


def discard(run: RunFolder) -> None:
    """Erase what a run was to go on from, and take its folder away."""
    forget(run)
    shutil.rmtree(run.path, ignore_errors=True)


def _hidden(run: RunFolder) -> Path:
    """Where the folder is while it is written, and while it is erased."""
    return run.internal / f".{run.unfinished.name}.part"


def _check_program(begun_with: str) -> None:
    if begun_with != program():
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
