"""Parts of a page that Streamlit has none for: their HTML, style and script stand beside this file.

Each is given data, the number of the last deed it was answered among them, and tells what a person
did as a list of numbered deeds. Nothing is loaded from anywhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

_HERE = Path(__file__).parent


def load_component(name: str) -> ComponentRenderer:
    """Return the component whose files have this name."""
    css, js = (
        "\n".join(
            (_HERE / f"{part}.{kind}").read_text(encoding="utf-8") for part in ("shared", name)
        )
        for kind in ("css", "js")
    )
    return st.components.v2.component(
        f"understudy_{name}", html='<div class="root"></div>', css=css, js=js
    )


def list_new_deeds(deeds: Any, answered: int) -> list[dict[str, Any]]:
    """Return what a person did since the last answer; nothing that is not in the shape it is told
    in.

    Args:
        deeds: what the component told; it comes from a browser, so it may be anything.
        answered: the number of the last deed that was dealt with.
    """
    if not isinstance(deeds, list):
        return []
    return [
        deed
        for deed in deeds
        if isinstance(deed, dict)
        and isinstance(deed.get("act"), str)
        and isinstance(deed.get("number"), int)
        and deed["number"] > answered
    ]
