"""The verdict on a packet, kept beside it so that its checks are made once."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Final

from understudy import __version__
from understudy.core.files import make_private, replace_text
from understudy.core.refusal import Refusal
from understudy.report.shelf import Packet
from understudy.report.shelf_note import place_beside
from understudy.report.verdict import Check, Verdict
from understudy.report.verify import verify
from understudy.report.whole import hash_sums

_SUFFIX: Final = ".verdict.json"


def check_packet(packet: Packet) -> Verdict:
    """Return what `verify` finds of a packet; looked up where these very files were checked before,
    by this version.

    Raises:
        Refusal: the packet is not whole, or cannot be read.
    """
    if not packet.whole:
        raise Refusal("The packet was changed since it was made.", "Make it again.", field="packet")
    place = place_beside(packet.path, _SUFFIX)
    now = {"by": __version__, "sums": hash_sums(packet.path)}
    kept = _kept(place, now)
    if kept is not None:
        return kept
    verdict = verify(packet.path)
    with suppress(OSError):
        make_private(place.parent)
        checks = [asdict(each) for each in verdict.checks]
        replace_text(place, json.dumps({**now, "stained": verdict.stained, "checks": checks}))
    return verdict


def _kept(place: Path, now: dict[str, str]) -> Verdict | None:
    with suppress(OSError, ValueError, KeyError, TypeError):
        said = json.loads(place.read_text(encoding="utf-8"))
        if {name: said[name] for name in now} == now:
            checks = tuple(Check(**each) for each in said["checks"])
            return Verdict(checks, bool(said["stained"]))
    return None
