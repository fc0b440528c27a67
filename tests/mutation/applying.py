"""Put a mutant into a process that has loaded everything.

A function keeps its identity and is given other code, wherever it was imported to; a value of a
module, a class or a parameter is replaced wherever it is held by name. So a process that is forked
from one with all tests loaded is the mutated program at once.
"""

from __future__ import annotations

import ast
import gc
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tests.mutation.operators import Mutant

ROOT: Final = Path(__file__).resolve().parents[2]


class Functions:
    """All functions of the engine that are loaded, by file and qualified name."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, int], list[FunctionType]] = defaultdict(list)
        gc.unfreeze()
        for each in gc.get_objects():
            if isinstance(each, FunctionType):
                code = each.__code__
                place = (code.co_filename, code.co_qualname, code.co_firstlineno)
                self._found[place].append(each)

    def of(self, code: CodeType) -> list[FunctionType]:
        """Return the functions that were made of a code, or of an equal one."""
        return self._found[code.co_filename, code.co_qualname, code.co_firstlineno]


@cache
def source(path: str) -> str:
    """Return the source of a module, as it was when first asked for."""
    return (ROOT / path).read_text(encoding="utf-8")


def module_name(path: str) -> str:
    """Return the name that a file is imported by."""
    name = path.removeprefix("engine/").removesuffix(".py").removesuffix("/__init__")
    return name.replace("/", ".")


def apply(mutant: Mutant, functions: Functions) -> None:
    """Change this process into the mutated program.

    Raises:
        LookupError: nothing that is loaded was changed by it.
    """
    file, text = ROOT / mutant.path, source(mutant.path)
    changed = mutant.applied(text)
    if mutant.given:
        _give(mutant, ast.parse(changed))
        return
    before = list(_codes(compile(text, str(file), "exec"), mutant.function))
    after = list(_codes(compile(changed, str(file), "exec"), mutant.function))
    applied = 0
    for old, new in zip(before, after, strict=True):
        for function in functions.of(old):
            function.__code__ = new
            applied += 1
    if not applied:
        raise LookupError(f"No function {mutant.function} of {mutant.path} is loaded.")


def _codes(code: CodeType, name: str) -> Iterator[CodeType]:
    """Every code in one that has a qualified name: a property's getter and setter share it."""
    for each in code.co_consts:
        if isinstance(each, CodeType):
            if each.co_qualname == name:
                yield each
            elif name.startswith(f"{each.co_qualname}."):
                yield from _codes(each, name)


def _give(mutant: Mutant, tree: ast.Module) -> None:
    """Give a module, a class or a parameter another value."""
    module = sys.modules[module_name(mutant.path)]
    body, owner = tree.body, ""
    holder: Any = module
    *classes, last = mutant.function.split(".") if mutant.function else [""]
    names = classes if mutant.given == "()" else [*classes, *([last] if last else [])]
    for name in names:
        body = next(e for e in body if isinstance(e, ast.ClassDef) and e.name == name).body
        holder, owner = getattr(holder, name), name
    if mutant.given == "()":
        function = next(e for e in body if isinstance(e, ast.FunctionDef) and e.name == last)
        _give_parameters(_plain(holder.__dict__[last]), function, module)
        return
    value = next(
        each.value
        for each in body
        if isinstance(each, ast.Assign | ast.AnnAssign) and _target(each) == mutant.given
    )
    assert value is not None
    new = eval(compile(ast.Expression(value), mutant.path, "eval"), dict(vars(module)))
    if owner:
        _give_class(holder, mutant.given, new)
    elif mutant.given.startswith("("):
        for name, each in zip(mutant.given.strip("()").split(", "), new, strict=True):
            _give_modules(name, getattr(module, name), each)
    else:
        _give_modules(mutant.given, getattr(module, mutant.given), new)


def _target(each: ast.Assign | ast.AnnAssign) -> str:
    return ast.unparse(each.targets[0] if isinstance(each, ast.Assign) else each.target)


def _plain(function: Any) -> FunctionType:
    """The function under what it is wrapped in."""
    while not isinstance(function, FunctionType):
        function = getattr(function, "__wrapped__", None) or getattr(function, "__func__", None)
    return function


def _give_parameters(function: FunctionType, written: ast.FunctionDef, module: ModuleType) -> None:
    def value(default: ast.expr) -> Any:
        return eval(compile(ast.Expression(default), "<default>", "eval"), dict(vars(module)))

    function.__defaults__ = tuple(value(each) for each in written.args.defaults) or None
    named = zip(written.args.kwonlyargs, written.args.kw_defaults, strict=True)
    function.__kwdefaults__ = {
        name.arg: value(each) for name, each in named if each is not None
    } or None


def _give_class(holder: type, name: str, new: Any) -> None:
    if issubclass(holder, BaseModel) and name in holder.model_fields:
        field = holder.model_fields[name]
        if isinstance(new, FieldInfo):
            field.metadata = [*field.metadata[: -len(new.metadata) or None], *new.metadata]
            new = new.default
        field.default = new
        holder.model_rebuild(force=True)
        return
    for each in (holder, *_below(holder)):
        if name in each.__dict__ or each is holder:
            type.__setattr__(each, name, new)
        made = each.__dict__.get("__init__")
        if not isinstance(made, FunctionType) or not hasattr(each, "__dataclass_fields__"):
            continue
        code = made.__code__
        names = code.co_varnames[: code.co_argcount]
        defaults = list(made.__defaults__ or ())
        if name in names[len(names) - len(defaults) :]:
            defaults[names.index(name) - len(names)] = new
            made.__defaults__ = tuple(defaults)


def _below(holder: type) -> Iterator[type]:
    for each in holder.__subclasses__():
        yield each
        yield from _below(each)


def _give_modules(name: str, old: Any, new: Any) -> None:
    """Replace a module's value wherever it was imported to under its name."""
    for module in list(sys.modules.values()):
        held = getattr(module, "__dict__", {})
        if name in held and (
            held[name] is old or (type(held[name]) is type(old) and _same(held[name], old))
        ):
            held[name] = new


def _same(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except ValueError:  # arrays
        return False
