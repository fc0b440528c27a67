"""What a server is made of: loaded once for all of them, by the process that forks them."""

from __future__ import annotations

from importlib import import_module

from understudy_dashboard.loading import load

for each in (
    "understudy_dashboard.__main__",
    "understudy_dashboard.server",
    "understudy_dashboard.signin_file",
    "understudy.cli",
):
    import_module(each)
load()
