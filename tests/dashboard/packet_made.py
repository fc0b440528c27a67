"""Making the packet of the run that the Release page shows."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from understudy.core.home import home
from understudy.report.shelf import Packet, list_packets


def packet_made(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> Packet:
    """The packet, without a browser to print it."""
    monkeypatch.setenv("UNDERSTUDY_CHROMIUM", "/nowhere/chromium")
    page.text_input(key="packet-title").set_value("Counts of a survey").run()
    page.text_input(key="packet-by").set_value("A. Custodian, data office").run()
    page.button(key="packet-make").click().run()
    assert not page.exception
    assert not page.error
    (packet,) = list_packets(home() / "packets")
    return packet
