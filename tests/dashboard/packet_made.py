"""Making the packet of the run that the Release page shows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine.ledger.ledger import Ledger
from engine.report import making
from engine.report.making import Making
from engine.report.shelf import Packet, packets
from engine.runs.control import home
from engine.runs.folder import RunFolder


def packet_made(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> Packet:
    """The packet, made in this process and without a browser to print it."""

    def here(_: str, places: Sequence[Path], job: Any, folder: Making) -> None:
        run, place, ledger, _folder = places
        cover, pdf = job
        making.do(RunFolder(run), place, cover, Ledger(ledger), folder, pdf=pdf)

    monkeypatch.setattr(making, "launch", here)
    monkeypatch.setenv("UNDERSTUDY_CHROMIUM", "/nowhere/chromium")
    page.text_input(key="packet-title").set_value("Counts of a survey").run()
    page.text_input(key="packet-by").set_value("A. Custodian, data office").run()
    page.button(key="packet-make").click().run()
    assert not page.exception
    assert not page.error
    (packet,) = packets(home() / "packets")
    return packet
