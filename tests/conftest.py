from __future__ import annotations

from pathlib import Path

import pytest

_BROWSER = Path(__file__).parent / "browser"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spread the files of browser tests evenly among the others.

    A browser and its server wait for each other: two of them at once on two cores take longer
    than one beside tests that only compute.
    """
    files = dict.fromkeys(item.path for item in items)
    waiting = [path for path in files if path.parent == _BROWSER]
    computing = [path for path in files if path.parent != _BROWSER]
    places = {path: (at + 0.5) / len(computing) for at, path in enumerate(computing)}
    places |= {path: at / len(waiting) for at, path in enumerate(waiting)}
    items.sort(key=lambda item: places[item.path])


@pytest.fixture(autouse=True)
def home_of_its_own(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No test may leave runs or a ledger in the home folder of whoever runs it."""
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path_factory.mktemp("home")))
