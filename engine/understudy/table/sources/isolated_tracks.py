"""The work of the process that reads files of tracks."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

from understudy.table.sources.isolation import Asked, table_writer
from understudy.table.sources.many_files import Folder
from understudy.table.sources.tracks.tracks_file import read_track_folder, read_tracks


def work(asked: Asked | Folder) -> Callable[[BinaryIO], None]:
    """Read files of tracks, as of `isolation.read_isolated` or `isolation.read_isolated_folder`."""
    if isinstance(asked, Folder):
        return table_writer(read_track_folder(asked))
    source, _kind, _encoding, _sheet, _limit = asked
    return table_writer(read_tracks(source))
