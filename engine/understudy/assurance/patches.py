"""A function that runs, broken for a while: one line of it is changed, whoever calls it.

A mutant that is made so is the shipped code except for that line. Where the line is no longer
there, the mutant cannot be made, and says so.
"""

from __future__ import annotations
import __future__

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import Any


@contextmanager
def patch_source(function: Callable[..., Any], old: str, new: str) -> Iterator[None]:
    """Let a function run with one piece of its text replaced by another.

    Args:
        function: any that is written in Python and stands in a module or a class.
        old: the piece, which must stand in it exactly once.
        new: what takes its place.

    Raises:
        ValueError: the piece is not in it, or several times.
    """
    plain = inspect.unwrap(getattr(function, "__func__", function))
    assert isinstance(plain, FunctionType)
    kept = plain.__code__
    plain.__code__ = _recompile(plain, old, new)
    try:
        yield
    finally:
        plain.__code__ = kept


def _recompile(function: FunctionType, old: str, new: str) -> CodeType:
    text = textwrap.dedent(inspect.getsource(function))
    if text.count(old) != 1:
        raise ValueError(f"“{old}” stands {text.count(old)} times in {function.__qualname__}")
    changed = text.replace(old, new)
    # What a body was written under holds on for it alone.
    names = ast.parse(changed).body[0]
    assert isinstance(names, ast.FunctionDef)
    names.decorator_list = []
    module = ast.Module([names], [])
    flags = __future__.annotations.compiler_flag
    whole = compile(module, function.__code__.co_filename, "exec", flags, dont_inherit=True)
    code = next(each for each in whole.co_consts if isinstance(each, CodeType))
    if code.co_freevars != function.__code__.co_freevars:
        raise ValueError(f"{function.__qualname__} looks at what stands around it")
    return code
