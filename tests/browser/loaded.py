"""What a server is made of: loaded once for all of them, by the process that forks them."""

from __future__ import annotations

from importlib import import_module

from dashboard.loading import load

for each in ("dashboard.__main__", "dashboard.server", "dashboard.signin_file", "engine.cli"):
    import_module(each)
load()
