"""What Streamlit's components are, found out once."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import pytest
from streamlit.components.v2 import manifest_scanner


@pytest.fixture(scope="session", autouse=True)
def components_found() -> Iterator[None]:
    """Every page that a test opens would look through all installed packages again, which takes
    longer than to draw most pages; and nothing is installed meanwhile."""
    found = manifest_scanner.scan_component_manifests()
    with patch.object(manifest_scanner, "scan_component_manifests", lambda: list(found)):
        yield
