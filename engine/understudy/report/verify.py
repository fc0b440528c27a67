"""Whether a packet is what it says: every check that needs nothing confidential.

The verdict on a packet of one's own is kept beside it, so that its checks are made once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO, Final

import pyarrow as pa

from understudy import __version__
from understudy.core.files import make_private, replace_text
from understudy.core.refusal import Refusal
from understudy.report import checks
from understudy.report.bundle import open_bundle
from understudy.report.checks import Checking, Elsewhere, Make, Missing
from understudy.report.shelf import Packet, hash_sums, place_beside
from understudy.report.verdict import (
    TITLES,
    Asked,
    PacketCheck,
    PacketVerdict,
    enter_folder,
    make_sender,
)

_CHECKS: Final[Mapping[str, Make]] = {
    "files": checks.check_files,
    "wrapping": checks.check_wrapping,
    "hashes": checks.check_hashes,
    "form": checks.check_form,
    "statement-schema": checks.check_statement_schema,
    "plan": checks.check_plan,
    "schema": checks.check_schema,
    "total": checks.check_total,
    "statement": checks.check_statement,
    "text": checks.check_text,
    "table": checks.check_tables,
    "rules": checks.check_rules,
    "totals": checks.check_totals,
    "parquet": checks.check_parquet,
    "figures": checks.check_figures,
    "ledger": checks.check_ledger,
    "documents": checks.check_documents,
}
_UNREADABLE: Final = (
    ValueError,
    TypeError,
    KeyError,
    ArithmeticError,
    RecursionError,
    pa.ArrowException,
)


def verify(path: Path) -> PacketVerdict:
    """Check a packet.

    Args:
        path: its folder, or its zip file.

    Raises:
        Refusal: it is neither, or cannot be read at all.
    """
    with open_bundle(path) as bundle:
        packet = Checking(bundle)
        checks = tuple(_make_check(key, packet) for key in TITLES)
        return PacketVerdict(checks, packet.names.stained)


def _make_check(key: str, packet: Checking) -> PacketCheck:
    try:
        return PacketCheck(key, "passed", _CHECKS[key](packet))
    except Missing:
        return PacketCheck(key, "skipped", "Not checked, as something it needs is damaged.")
    except Elsewhere:
        said = "Its words were made by another version of the program."
        return PacketCheck(key, "skipped", said, elsewhere=True)
    except Refusal as refusal:
        return PacketCheck(key, "failed", refusal.problem)
    except _UNREADABLE:
        return PacketCheck(key, "failed", "What is there cannot be read.")


def work(asked: Asked) -> Callable[[BinaryIO], None]:
    """Check a packet, as of `verdict.verify_apart`."""
    folder, path = asked
    enter_folder(folder)
    return make_sender(verify(path))


_SUFFIX: Final = ".verdict.json"


def check_packet(packet: Packet) -> PacketVerdict:
    """Return what `verify` finds of a packet; looked up where these very files were checked before,
    by this version.

    Raises:
        Refusal: the packet is not whole, or cannot be read.
    """
    if not packet.whole:
        raise Refusal("The packet was changed since it was made.", "Make it again.", field="packet")
    place = place_beside(packet.path, _SUFFIX)
    now = {"by": __version__, "sums": hash_sums(packet.path)}
    kept = _read_kept(place, now)
    if kept is not None:
        return kept
    verdict = verify(packet.path)
    with suppress(OSError):
        make_private(place.parent)
        checks = [asdict(each) for each in verdict.checks]
        replace_text(place, json.dumps({**now, "stained": verdict.stained, "checks": checks}))
    return verdict


def _read_kept(place: Path, now: dict[str, str]) -> PacketVerdict | None:
    with suppress(OSError, ValueError, KeyError, TypeError):
        said = json.loads(place.read_text(encoding="utf-8"))
        if {name: said[name] for name in now} == now:
            checks = tuple(PacketCheck(**each) for each in said["checks"])
            return PacketVerdict(checks, bool(said["stained"]))
    return None
