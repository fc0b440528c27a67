"""The home folder of every test, and what is left to `--thorough`."""

from __future__ import annotations

import pytest
from hypothesis import settings

THOROUGH = "thorough"
settings.register_profile("usual", max_examples=20, deadline=None)
settings.register_profile(THOROUGH, max_examples=200, deadline=None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--thorough",
        action="store_true",
        help="also run what is marked thorough, and look at more examples of every property",
    )


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile(THOROUGH if config.option.thorough else "usual")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Nothing is left out but what bears the mark."""
    if config.option.thorough:
        return
    left = [item for item in items if item.get_closest_marker(THOROUGH)]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if not item.get_closest_marker(THOROUGH)]


@pytest.fixture(autouse=True)
def home_of_its_own(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No test may leave runs or a ledger in the home folder of whoever runs it."""
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path_factory.mktemp("home")))
