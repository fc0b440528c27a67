"""What a server is made of: loaded once for all of them, by the process that forks them."""

from __future__ import annotations

from importlib import import_module

from understudy_dashboard.server import load_pages

for each in (
    "understudy_dashboard.__main__",
    "understudy_dashboard.server",
    "understudy_dashboard.sign_in_file",
    "understudy.cli",
):
    import_module(each)
load_pages()
