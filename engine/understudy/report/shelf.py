"""The packets of a project, each in a folder, and which of them were issued.

<packet>/             its files, complete and never changed
.shelf/<packet>.json  which run it was made from, when, and whether it was issued; see `read_note`.
                      Not for publishing, as the hour of its making would tell how long the run can
                      have taken at most
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from glob import escape
from pathlib import Path
from typing import Any, Final

from understudy.core import clock
from understudy.core.display import Shown, ShowsItself
from understudy.core.files import make_private, replace_text
from understudy.core.home import home
from understudy.core.numerals import count
from understudy.core.refusal import Refusal
from understudy.mechanisms.statement import stated_outputs
from understudy.privacy.budget import Budget
from understudy.projects.catalogue import list_projects
from understudy.report import files
from understudy.report.cover import Cover
from understudy.report.files import Stored, is_file_of_a_packet, is_plain, list_sums

SHELF: Final = ".shelf"
"""The folder beside packets for what is kept of them; hidden, and never published."""


@dataclass(frozen=True)
class Issue:
    """The note that a packet was handed to the board.

    Attributes:
        at: when, in UTC, as ISO 8601.
        by: who issued it, as typed.
        sums: SHA-256 of its SHA256SUMS at that moment.
    """

    at: str
    by: str
    sums: str


@dataclass(frozen=True)
class Shelved:
    """What is kept beside a packet. Not for publishing.

    Attributes:
        run: the name of the run it was made from; "" where that is not known.
        made: when, in UTC, as ISO 8601.
        issued: that it was handed over; None for a draft.
    """

    run: str = ""
    made: str = ""
    issued: Issue | None = None


def place_beside(path: Path, suffix: str = ".json") -> Path:
    """Return the file in which something is kept of the packet in a folder."""
    return path.parent / SHELF / f"{path.name}{suffix}"


def keep_note(path: Path, shelved: Shelved) -> None:
    """Write the note of the packet in a folder.

    Raises:
        OSError: it cannot be written.
    """
    record = place_beside(path)
    make_private(record.parent)
    replace_text(record, json.dumps(asdict(shelved)))


def read_note(path: Path) -> Shelved:
    """Return the note of the packet in a folder; an empty one where the folder was copied without
    it."""
    with suppress(OSError, ValueError, TypeError):
        said = json.loads(place_beside(path).read_text(encoding="utf-8"))
        issued = said.pop("issued")
        return Shelved(**said, issued=None if issued is None else Issue(**issued))
    return Shelved()


def forget_note(path: Path) -> None:
    """Delete the note of the packet in a folder.

    Raises:
        OSError: it cannot be taken away.
    """
    for each in (path.parent / SHELF).glob(f"{escape(path.name)}.*"):
        each.unlink(missing_ok=True)


_DIGITS: Final = 12


def hash_sums(path: Path) -> str:
    """SHA-256, in hex, of a packet's list of hashes, which stands for all of its files.

    Raises:
        OSError: it cannot be read.
    """
    return hashlib.sha256((path / files.SUMS).read_bytes()).hexdigest()


def packet_name(digest: str, *, stained: bool) -> str:
    """Return the name of a packet, made from its list of hashes, so that another packet has another
    name.

    Args:
        digest: see `hash_sums`.
        stained: whether it is a demonstration.
    """
    return f"{files.STAINED if stained else ''}packet-{digest[:_DIGITS]}"


def _is_whole(path: Path, issued: str | None) -> bool:
    """Return whether the files in a folder are those of its list of hashes, and that list the one
    that the packet is named by and, once issued, the one that was issued.

    Args:
        path: the packet's folder.
        issued: what `hash_sums` said when it was issued; None for a draft.
    """
    try:
        digest = hash_sums(path)
        if path.name not in (packet_name(digest, stained=False), packet_name(digest, stained=True)):
            return False
        if issued not in (None, digest):
            return False
        found = sorted(path.iterdir())
        if not all(map(is_plain, found)):
            return False
        about = [(each.name, each.stat()) for each in found]
        return _matches(
            path, tuple((name, at.st_size, at.st_mtime_ns, at.st_ctime_ns) for name, at in about)
        )
    except OSError:
        return False


@lru_cache(maxsize=256)
def _matches(path: Path, _signature: tuple[Any, ...]) -> bool:
    """Return whether every file has its hash; looked at again only when a file was touched."""
    there = {each.name: Stored.at(each) for each in path.iterdir() if each.name != files.SUMS}
    return (path / files.SUMS).read_text(encoding="utf-8") == list_sums(there)


_READ_ONLY: Final = 0o444


@dataclass(frozen=True, repr=False)
class Packet(ShowsItself):
    """A packet on the shelf.

    Attributes:
        path: its folder.
        cover: its title page.
        stained: whether it is a demonstration, which promises nothing.
        total: what is promised; unbounded where nothing is.
        held: what was released, as a phrase.
        files: its files with their sizes, in order.
        shelved: what is kept beside it.
        whole: whether its files are those it was made of and, once issued, those that were issued.
    """

    path: Path
    cover: Cover
    stained: bool
    total: Budget
    held: str
    files: tuple[tuple[str, int], ...]
    shelved: Shelved
    whole: bool

    def describe_itself(self) -> Shown:
        """Return what it shows of itself; all of it is public."""
        return Shown(
            f"Packet “{self.cover.title}”" + (", a demonstration" if self.stained else ""),
            [
                ("Folder", str(self.path)),
                ("Guarantee", self.total.in_signs()),
                ("Holds", self.held),
            ],
            ("File", "Bytes"),
            [(name, f"{size:,}") for name, size in self.files],
        )

    @property
    def identity(self) -> str:
        """The packet's name."""
        return self.path.name

    @property
    def issued(self) -> Issue | None:
        """When and by whom it was handed over; None for a draft."""
        return self.shelved.issued

    @property
    def size(self) -> int:
        """Bytes of all its files."""
        return sum(size for _, size in self.files)

    @property
    def report(self) -> Path:
        """The report."""
        return self.path / files.REPORT


def list_packets(place: Path) -> tuple[Packet, ...]:
    """Return every packet of a folder that can be read, newest first; each is checked against its
    hashes.

    Raises:
        Refusal: the folder cannot be read.
    """
    if not place.is_dir():
        return ()
    try:
        paths = [path for path in place.iterdir() if not path.name.startswith(".")]
    except OSError:
        raise Refusal(
            f"The folder of packets, {place}, cannot be read.",
            "Give yourself the right to read it.",
            field="out",
        ) from None
    found = [packet for path in paths if (packet := _packet(path)) is not None]
    return tuple(sorted(found, key=lambda each: (each.shelved.made, each.identity), reverse=True))


def find_packet(place: Path, identity: str) -> Packet:
    """Return a packet by its name.

    Raises:
        Refusal: there is none.
    """
    found = (each for each in list_packets(place) if each.identity == identity)
    packet = next(found, None)
    if packet is None:
        raise Refusal(
            f"There is no packet “{identity}”.", "Choose another, or make one.", field="packet"
        )
    return packet


def shelve_packet(path: Path, shelved: Shelved) -> Packet:
    """Write the note beside a packet, unless it is there already.

    Raises:
        OSError: it cannot be written.
        Refusal: the packet cannot be read.
    """
    if not place_beside(path).exists():
        keep_note(path, shelved)
    packet = _packet(path)
    if packet is None:
        raise _unreadable(path)
    return packet


def clear_place(path: Path) -> bool:
    """Make room for a packet: delete a draft in its place that was changed.

    Returns:
        Whether the packet is there already, unchanged.

    Raises:
        Refusal: it was issued, and changed since.
        OSError: it cannot be deleted.
    """
    if not path.exists():
        return False
    issued = read_note(path).issued
    if _is_whole(path, None if issued is None else issued.sums):
        return True
    if issued is not None:
        raise Refusal(
            f"The packet “{path.name}” was issued, and its files were changed since.",
            "Put its files back from the zip file that was handed over.",
            field="packet",
        )
    shutil.rmtree(path)
    return False


def issue_packet(packet: Packet, by: str) -> Packet:
    """Record that a packet is handed over. From then on nothing of it may change.

    Args:
        packet: a draft.
        by: who issues it; public, as it stands in the list that reviewers see.

    Raises:
        Refusal: nobody is named, it was issued before, or is not whole.
    """
    name = Cover(title="-", by=by).by
    if not name:
        raise Refusal(
            "Nobody is named who issues the packet.", "Enter your name and role.", field="by"
        )
    now = _packet(packet.path)
    if now is None or not now.whole:
        raise Refusal("The packet was changed since it was made.", "Make it again.", field="packet")
    if now.issued is not None:
        raise Refusal("The packet was issued before.", "Make another to hand over something else.")
    at = clock.now().isoformat(timespec="seconds")
    issued = Issue(at, name, hash_sums(packet.path))
    try:
        for path in packet.path.iterdir():
            path.chmod(_READ_ONLY)
        keep_note(packet.path, replace(now.shelved, issued=issued))
    except OSError:
        raise Refusal(
            "The packet cannot be marked as issued.",
            "Check that its folder may be written to, and that the disk is not full.",
        ) from None
    return find_packet(packet.path.parent, packet.identity)


def discard_packet(packet: Packet) -> None:
    """Delete a draft.

    Raises:
        Refusal: it was issued, or cannot be deleted.
    """
    if read_note(packet.path).issued is not None:
        raise Refusal(
            "A packet that was issued stays.", "Make another to hand over something else."
        )
    try:
        shutil.rmtree(packet.path)
        forget_note(packet.path)
    except OSError:
        raise Refusal(
            "The packet cannot be deleted.", "Check that you may write to its folder."
        ) from None


def _packet(path: Path) -> Packet | None:
    """Return the packet in a folder; None where there is none that can be read."""
    try:
        about = json.loads((path / files.PACKET).read_text(encoding="utf-8"))
        said = json.loads((path / files.STATEMENT).read_text(encoding="utf-8"))
        cover = Cover.read({name: about[name] for name in Cover.model_fields})
        guarantee = said["guarantee"]
        promised = guarantee["epsilon"] is not None
        shelved, stained = read_note(path), bool(about["demonstration"])
        there = tuple(
            (each, (path / each).stat().st_size)
            for each in about["files"]
            if is_file_of_a_packet(each) and (path / each).is_file()
        )
        return Packet(
            path,
            cover,
            stained,
            Budget(guarantee["epsilon"], guarantee["delta"]) if promised else Budget.unbounded(),
            _describe_contents(said),
            there,
            shelved,
            _is_whole(path, None if shelved.issued is None else shelved.issued.sums),
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _describe_contents(said: Mapping[str, Any]) -> str:
    """Return what a statement is about, as a phrase: “2 tables, 240 records, 3 columns; 1 set of
    figures”."""
    found = list(stated_outputs(said).values())
    tables = [each for each in found if "rows" in each]
    parts = []
    if tables:
        widths = [len(each["columns"]) for each in tables]
        of = [count(max(widths), "column")] if len(set(widths)) == 1 else []
        many = [count(len(tables), "table")] if len(tables) > 1 else []
        rows = count(sum(int(each["rows"]) for each in tables), "record")
        parts.append(", ".join([*many, rows, *of]))
    if len(found) > len(tables):
        parts.append(count(len(found) - len(tables), "set") + " of figures")
    return "; ".join(parts)


def _unreadable(path: Path) -> Refusal:
    return Refusal(f"The packet “{path.name}” cannot be read.", "Make it again.", field="packet")


def list_issued(place: Path | None = None) -> tuple[Packet, ...]:
    """Return the issued packets of all projects of a home folder, newest issued first.

    Drafts are none of a reviewer's business, and neither is what a project is called: a packet
    has a title of its own. A project whose packets cannot be read is passed over.
    """
    found: list[Packet] = []
    for project in list_projects((place or home()) / "projects"):
        with suppress(Refusal):
            found += [each for each in list_packets(project.packets) if each.issued is not None]
    return tuple(sorted(found, key=_newest, reverse=True))


def _newest(packet: Packet) -> tuple[str, str]:
    assert packet.issued is not None
    return packet.issued.at, packet.identity
