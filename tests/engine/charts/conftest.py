"""What the tests of charts read out of a figure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import altair as alt
import numpy as np
import pytest
from altair.utils.core import _ChannelCache

from understudy.evaluation.comparison import Compared, Distances

Layer = dict[str, Any]


@pytest.fixture(autouse=True)
def named_channels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every chart names its channels as `alt.X(…)` does: to find out what a string or a dictionary
    stands for, Altair goes through all of its classes, 5 ms each time."""

    def own(_: Any, said: Any, channel: str) -> Any:
        every = said if isinstance(said, list | tuple) else [said]
        assert all(isinstance(each, alt.SchemaBase) for each in every), channel
        return said

    monkeypatch.setattr(_ChannelCache, "_wrap_in_channel", own)


def _layers(chart: alt.LayerChart) -> list[Layer]:
    """Each layer: its mark, its encoding, and the rows it draws."""
    spec = chart.to_dict()
    return [
        {
            "mark": layer["mark"]["type"],
            "encoding": layer["encoding"],
            "rows": spec["datasets"][layer.get("data", spec.get("data"))["name"]],
        }
        for layer in spec["layer"]
    ]


@pytest.fixture
def layers() -> Callable[[alt.LayerChart], list[Layer]]:
    """The layers of an Altair chart, with their data."""
    return _layers


@pytest.fixture
def said(layers: Callable[[alt.LayerChart], list[Layer]]) -> Callable[[alt.LayerChart], list[str]]:
    """Every text written into an Altair chart."""
    return lambda chart: [
        row["said"] for layer in layers(chart) if layer["mark"] == "text" for row in layer["rows"]
    ]


@pytest.fixture
def table() -> Callable[..., Compared]:
    """A table with distances drawn at random."""

    def make(name: str, attributes: int, seed: int = 0) -> Compared:
        pairs = np.random.default_rng(seed).random((attributes, attributes))
        pairs = (pairs + pairs.T) / 2
        return Compared(name, 1234, Distances(np.diag(pairs).copy(), pairs))

    return make
