from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def home_of_its_own(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No test may leave runs or a ledger in the home folder of whoever runs it."""
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path_factory.mktemp("home")))
