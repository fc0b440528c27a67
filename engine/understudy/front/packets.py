"""Packets for a review board: made from a run, and checked."""

from __future__ import annotations

import os
from pathlib import Path

from understudy.front.releases import FinishedRun, run_folder
from understudy.report.cover import Cover
from understudy.report.packet import make_packet, save_zip, shelf_of
from understudy.report.shelf import Packet
from understudy.report.verdict import Verdict
from understudy.report.verify_apart import verify_apart


def packet(
    run: FinishedRun | str | os.PathLike[str],
    *,
    title: str,
    by: str = "",
    dated: str = "",
    dataset: str = "",
    note: str = "",
    out: str | os.PathLike[str] | None = None,
    pdf: bool = True,
) -> Packet:
    """Make the packet of a run: table, statement, dictionary, ledger extract and report.

    Nothing internal is in it, and nothing is spent.

    Args:
        run: what `synthesize` returned, or a run's name or folder.
        title: what stands on the title page. Public, as is all of the rest.
        by: who answers for it, with their role.
        dated: the date on the title page.
        dataset: what the data are called in public.
        note: anything else for the reader.
        out: the folder that the packet gets a folder and a zip file in; only a folder where the
            run's project keeps its packets if left out.
        pdf: whether the report is printed to PDF too, if a browser is there that can.

    Raises:
        Refusal: the run has released nothing or was changed since, a text cannot be used, or the
            place cannot be written.

    Example:
        >>> import understudy as us
        >>> us.suggest_schema("people.csv").save("schema.json")
        >>> schema = us.declare("schema.json", "people.csv", note="the census code book")
        >>> planned = us.plan(schema, epsilon=1.0, rows=500)
        >>> run = us.synthesize("people.csv", schema, planned, new_people=True)
        >>> made = us.packet(run, title="Census of simulated people", out="packets", pdf=False)
        >>> made.cover.title
        'Census of simulated people'
    """
    cover = Cover(title=title, by=by, dated=dated, dataset=dataset, note=note)
    folder = run_folder(run)
    made = make_packet(folder, shelf_of(folder) if out is None else Path(out), cover, pdf=pdf)
    if out is not None:
        save_zip(made)
    return made


def verify(packet: Packet | str | os.PathLike[str]) -> Verdict:
    """Check a packet: its hashes, its forms, its table, and that its total follows from its plan.

    Needs nothing confidential. A packet that is not what it says is no error: look at `passed` of
    what is returned.

    Args:
        packet: what `packet` returned, or the path of its folder or zip file.

    Raises:
        Refusal: there is no packet, or it cannot be read.

    Example:
        >>> import understudy as us
        >>> us.suggest_schema("people.csv").save("schema.json")
        >>> schema = us.declare("schema.json", "people.csv", note="the census code book")
        >>> planned = us.plan(schema, epsilon=1.0, rows=500)
        >>> run = us.synthesize("people.csv", schema, planned, new_people=True)
        >>> us.verify(us.packet(run, title="Census of simulated people", pdf=False)).passed
        True
    """
    return verify_apart(packet.path if isinstance(packet, Packet) else Path(packet))
