"""What a run keeps until it has ended, so that it can go on after its process was killed. Internal.

internal/unfinished/secret         what its random numbers follow from; see `Secret`
internal/unfinished/learned.npz    which part each record went to, the network, the table's digest
internal/unfinished/about.json     whether the secret is a fixed seed, whether figures are wanted,
                                   and the program that began the run
internal/unfinished/reached.json   how far the attempts are
internal/unfinished/codes          the records that passed so far, of a table in Parquet
release.partial/synthetic.csv      the same, of one in CSV

The folder appears whole, before the first attempt, and is gone at once when the run has ended for
good, before anything in it is erased: it is there whole or not at all.
From it and the table the run goes on to the very release that it would have come to: every attempt
is a function of the table, of what was learned and of the secret. See docs/guarantee.md.
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

from engine.files import names_to_disk, replace_text
from engine.models.sequential import Sequential
from engine.privacy.randomness import Secret
from engine.refusal import Refusal
from engine.runs.evidence import decided
from engine.runs.folder import UNREADABLE, RunFolder
from engine.runs.kept import Kept
from engine.runs.released import Written
from engine.synthesis.chunks import program
from engine.table.records import Records
from engine.table.streamed import StreamedTable

_SECRET, _LEARNED, _ABOUT, _REACHED = "secret", "learned.npz", "about.json", "reached.json"
_NETWORK = "network"


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


def keep(run: RunFolder, records: Records | StreamedTable, begun: Begun, *, figures: bool) -> None:
    """Put down what the run goes on from, whole, and so that a power failure leaves it there.

    Args:
        run: the run, which has made no attempt yet.
        records: its table.
        begun: what was drawn and learned.
        figures: whether figures are wanted at its end.

    Raises:
        OSError: it cannot be written.
    """
    run.internal.mkdir(mode=0o700, exist_ok=True)
    partial = _hidden(run)
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(mode=0o700)
    _write_secret(partial / _SECRET, begun.secret.key)
    kept = Kept.of(records, begun.parts, {_NETWORK: begun.network})
    kept.save(partial / _LEARNED)
    about = _About(begun.secret.stained, figures, program())
    replace_text(partial / _ABOUT, json.dumps(asdict(about)))
    partial.rename(run.unfinished)
    for folder in (run.unfinished, run.internal, run.path):
        names_to_disk(folder)


def begun(run: RunFolder, records: Records | StreamedTable) -> Begun:
    """What a run goes on from.

    Args:
        run: the run.
        records: its table, coded as it was then.

    Raises:
        Refusal: this is not its table, it was begun with another version of the program, or what
            it kept cannot be read.
    """
    _, schema = decided(run)
    about = _about(run)
    with run.intact():
        kept = Kept.load(run.unfinished / _LEARNED)
        kept.check(records)
        key = (run.unfinished / _SECRET).read_bytes()
        if not any(key):
            raise ValueError("the secret was erased")
        return Begun(Secret(key, about.stained), kept.parts, kept.network(schema, _NETWORK))


def wants_figures(run: RunFolder) -> bool:
    """Whether figures are wanted at the end of a run that has not ended.

    Raises:
        Refusal: as `begun`.
    """
    return _about(run).figures


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
        names_to_disk(run.internal)
    for place in (run.unfinished, _hidden(run)):
        _erase(place / _SECRET)
        shutil.rmtree(place, ignore_errors=True)
    shutil.rmtree(run.partial, ignore_errors=True)
    with suppress(OSError):
        run.internal.rmdir()


def _hidden(run: RunFolder) -> Path:
    """Where the folder is while it is written, and while it is erased."""
    return run.internal / f".{run.unfinished.name}.part"


def _about(run: RunFolder) -> _About:
    with run.intact():
        about = _About(**json.loads((run.unfinished / _ABOUT).read_text(encoding="utf-8")))
    if about.program != program():
        raise Refusal(
            "The run was begun with another version of the program, or on another kind of "
            "processor, and would go on otherwise here than it began.",
            "Resume it with the version and on the machine that it was begun with, or start a new "
            "run, which is a new spend.",
        )
    return about


def _write_secret(path: Path, key: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(key)
        file.flush()
        os.fsync(file.fileno())


def _erase(path: Path) -> None:
    """Write over a small file before it goes."""
    try:
        with path.open("r+b") as file:
            file.write(bytes(path.stat().st_size))
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        return
