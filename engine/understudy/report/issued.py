"""What reviewers see of a home folder: packets that were issued, and nothing else."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from understudy.core.home import home
from understudy.core.refusal import Refusal
from understudy.projects.catalogue import list_projects
from understudy.report.shelf import Packet, packets


def issued_packets(place: Path | None = None) -> tuple[Packet, ...]:
    """Return the issued packets of all projects of a home folder, newest issued first.

    Drafts are none of a reviewer's business, and neither is what a project is called: a packet
    has a title of its own. A project whose packets cannot be read is passed over.
    """
    found: list[Packet] = []
    for project in list_projects((place or home()) / "projects"):
        with suppress(Refusal):
            found += [each for each in packets(project.packets) if each.issued is not None]
    return tuple(sorted(found, key=_newest, reverse=True))


def _newest(packet: Packet) -> tuple[str, str]:
    assert packet.issued is not None
    return packet.issued.at, packet.identity
