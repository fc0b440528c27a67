"""Generate mutants: one small change each to the source of a module.

A mutant is a place in the source and an expression that stands there instead. Only expressions in
functions are changed, and values that modules, classes and parameters are given: no texts, no types
or annotations, no decorators, no refusals, no assertions, no words about a guarantee, no choice
between two phrases, and no order of two numbers of which the larger is asked, the sum or the like.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

FIRST: Final = (
    "tape dropped",
    "handed on",
    "term dropped",
    "sign dropped",
    "choice",
    "constant",
    "operation",
    "extreme",
    "rounding",
    "function dropped",
    "condition dropped",
    "comparison",
    "switch",
    "swapped",
)
"""The kinds of changes, those first that concern noise most."""
_SPENT: Final = frozenset(
    [
        "scale",
        "scales",
        "sigma",
        "deviation",
        "epsilon",
        "epsilon0",
        "rho",
        "delta",
        "multiplier",
        "sensitivity",
        "amount",
        "noise_multiplier",
        "rho_shares",
        "noisy",
        "share",
        "rate",
        "each_costs",
    ]
)
"""Names of numbers that decide how much noise there is: handed on, they are multiplied."""
_SWITCHES: Final = frozenset(
    ["strict", "keepdims", "copy", "frozen", "eq", "slots", "repr", "assume_unique", "sorted"]
)
"""Names of arguments that are no settings of a mechanism."""
_LAYOUT: Final = frozenset(["axis", "ndmin", "dtype", "shape", "side"])
_COMPARED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OTHER: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_LEFT: Final = (ast.Mult, ast.Div, ast.Add, ast.Sub, ast.Pow, ast.Mod, ast.BitAnd, ast.BitOr)
_RIGHT: Final = (ast.Mult, ast.Add, ast.BitAnd, ast.BitOr)
_CALLED: Final = {
    "min": "max",
    "max": "min",
    "minimum": "maximum",
    "maximum": "minimum",
    "floor": "ceil",
    "ceil": "floor",
}
_DROPPED: Final = frozenset(
    ["sqrt", "nextafter", "abs", "exp", "log1p", "expm1", "cumsum", "unique"]
)
_UNSWAPPED: Final = frozenset(
    [
        "isinstance",
        "getattr",
        "setattr",
        "hasattr",
        "zip",
        "print",
        "range",
        "cast",
        "partial",
        "replace",
        "issubclass",
    ]
)
_EITHER_WAY: Final = frozenset(
    ["min", "max", "minimum", "maximum", "multiply", "add", "hypot", "logaddexp", "gcd", "parallel"]
)
"""Functions of which the order of two arguments does not matter."""

_UNCHANGED: Final = frozenset(["Refusal", "Scope", "cast", "TypeVar", "len"])
_TYPE: Final = re.compile(r"_?[A-Z][A-Za-z]*[a-z][A-Za-z]*")
"""How a type is named: not as a value."""
_UNREAD: Final = frozenset(["annotation", "returns", "decorator_list", "type_comment", "ctx"])
_ROLES: Final = {"slice": "[]", "args": "()"}


@dataclass(frozen=True)
class Mutant:
    """One change to a module.

    Attributes:
        path: the module's file, from the root of the repository.
        function: the qualified name of what is changed; empty for what a module is given.
        given: what is given another value: the name of a value, or “()” for parameters; empty for
            what a function does.
        operator: the kind of change.
        change: the smallest expression around it, and what becomes of what in it.
        turn: the number of the same change in the same place, from 0.
        line: of the changed expression.
        start, end: where the changed expression stands, in bytes of the file.
        instead: what stands there instead.
    """

    path: str
    function: str
    given: str
    operator: str
    change: str
    turn: int
    line: int
    start: int
    end: int
    instead: str

    @property
    def key(self) -> str:
        """A name that stays the same while lines move."""
        return f"{self.path}::{self.place}::{self.operator}::{self.text}"

    @property
    def text(self) -> str:
        """The change, with its number where it is not the first of its kind in its place."""
        return f"{self.change} ({self.turn + 1})" if self.turn else self.change

    @property
    def place(self) -> str:
        """The function, or what is given a value."""
        return f"{self.function} {self.given}".strip()

    def applied(self, source: str) -> str:
        """The source of the module with the change."""
        data = source.encode()
        return (data[: self.start] + f"({self.instead})".encode() + data[self.end :]).decode()


def mutants_of(path: str, source: str) -> tuple[Mutant, ...]:
    """Return all mutants of a module, in the order of its source."""
    starts = _starts(source)
    seen: Counter[tuple[str, str, str]] = Counter()
    done: set[tuple[int, int, str]] = set()
    found = []
    for place in _places(ast.parse(source)):
        for operator, instead in _instead(place):
            node = place.node
            span = (
                starts[node.lineno - 1] + node.col_offset,
                starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0),
            )
            if (*span, instead) in done or instead == ast.unparse(node):
                continue
            done.add((*span, instead))
            change = f"{ast.unparse(place.around)}: {ast.unparse(node)} → {instead}"
            name = (f"{place.function} {place.given}", operator, change)
            found.append(
                Mutant(
                    path,
                    place.function,
                    place.given,
                    operator,
                    change,
                    seen[name],
                    node.lineno,
                    *span,
                    instead,
                )
            )
            seen[name] += 1
    return tuple(found)


def _starts(source: str) -> list[int]:
    """Where each line begins, in bytes."""
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


@dataclass(frozen=True)
class _Place:
    """An expression that may be changed.

    Attributes:
        node: the expression.
        around: the expression or statement that it is a part of.
        function: the qualified name of the function or class.
        role: the name of the argument that it stands in.
        given: as in `Mutant`.
    """

    node: ast.expr
    around: ast.AST
    function: str
    role: str = ""
    given: str = ""


def _places(tree: ast.Module) -> Iterator[_Place]:
    yield from _of_body(tree.body, "")


def _of_body(body: list[ast.stmt], inside: str) -> Iterator[_Place]:
    """What a module or a class is given, and the functions in it."""
    for each in body:
        if isinstance(each, ast.ClassDef):
            yield from _of_body(each.body, f"{inside}{each.name}.")
        elif isinstance(each, ast.FunctionDef):
            name = f"{inside}{each.name}"
            defaults = (*each.args.defaults, *each.args.kw_defaults)
            for default in defaults:
                if default is not None:
                    yield from _given(default, name, "()")
            for inner in each.body:
                yield from _of(inner, inner, name)
        elif isinstance(each, ast.Assign | ast.AnnAssign) and each.value is not None:
            name = _named(each)
            if not _is_type(name, each.value):
                yield from _given(each.value, inside.rstrip("."), name)


def _given(value: ast.expr, function: str, given: str) -> Iterator[_Place]:
    for place in _of(value, value, function):
        yield replace(place, given=given)


def _named(each: ast.Assign | ast.AnnAssign) -> str:
    target = each.targets[0] if isinstance(each, ast.Assign) else each.target
    return ast.unparse(target)


def _is_type(name: str, value: ast.expr) -> bool:
    """Return whether a type is given a name, one that sets no bounds of its own."""
    calls = (each for each in ast.walk(value) if isinstance(each, ast.Call))
    return _TYPE.fullmatch(name) is not None and next(calls, None) is None


def _of(node: ast.AST, around: ast.AST, function: str, role: str = "") -> Iterator[_Place]:
    """The expressions in one, itself included, without what is not to be changed."""
    if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr) or _is_wording(node):
        return
    if isinstance(node, ast.Call) and _name(node.func) in _UNCHANGED:
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.expr):
        yield _Place(node, around, function, role)
    for name, value in ast.iter_fields(node):
        if name in _UNREAD:
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, ast.keyword):
                yield from _of(each.value, node, function, each.arg or "")
            elif isinstance(each, ast.AST):
                here = node if isinstance(node, ast.expr) else each
                yield from _of(each, here, function, _ROLES.get(name, ""))


def _is_wording(node: ast.AST) -> bool:
    """Return whether what is shown here chooses between two phrases: a text of one word may be the
    name of a kind of noise."""
    texts = (ast.JoinedStr, ast.Constant)
    return (
        isinstance(node, ast.IfExp)
        and isinstance(node.body, texts)
        and isinstance(node.orelse, texts)
        and any(" " in ast.unparse(each) for each in (node.body, node.orelse))
    )


def _name(node: ast.AST) -> str:
    """The last part of a name; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def _instead(place: _Place) -> Iterator[tuple[str, str]]:
    """What may stand in a place instead: the kind of change, and the expression."""
    node = place.node
    if isinstance(node, ast.Constant):
        yield from _constants(node.value, place.role)
    elif isinstance(node, ast.BinOp):
        yield from _terms(node)
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
        yield "sign dropped", ast.unparse(node.operand)
    elif isinstance(node, ast.Compare):
        yield from _comparisons(node)
    elif isinstance(node, ast.BoolOp):
        for at in range(len(node.values)):
            rest = [each for other, each in enumerate(node.values) if other != at]
            whole = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
            yield "condition dropped", ast.unparse(whole)
    elif isinstance(node, ast.IfExp):
        yield "choice", ast.unparse(node.body)
        yield "choice", ast.unparse(node.orelse)
    elif isinstance(node, ast.Call):
        yield from _calls(node)
    if isinstance(node, ast.Name | ast.Attribute) and place.role and not _only_read(place.around):
        yield from _handed(node, place.role)


def _only_read(around: ast.AST) -> bool:
    """Whether a call checks a number or spells it, and computes nothing."""
    name = _name(around.func).strip("_") if isinstance(around, ast.Call) else ""
    return name.startswith(("check", "spell", "isfinite", "isnan", "number", "said"))


def _constants(value: object, role: str) -> Iterator[tuple[str, str]]:
    if role in _LAYOUT or isinstance(value, str | bytes) or value is None or value is ...:
        return
    if isinstance(value, bool):
        if role not in _SWITCHES:
            yield "switch", repr(not value)
    elif isinstance(value, int):
        yield "constant", repr(value + 1)
        if value != 0 and role != "[]":
            yield "constant", repr(value - 1)
        if value > 2 and role != "[]":
            yield "constant", repr(2 * value)
    elif isinstance(value, float):
        yield "constant", repr(2 * value if value else 1.0)
        if value:
            yield "constant", repr(value / 2)


def _terms(node: ast.BinOp) -> Iterator[tuple[str, str]]:
    if any(
        isinstance(side, ast.Constant | ast.JoinedStr)
        and isinstance(getattr(side, "value", ""), str)
        for side in (node.left, node.right)
    ):
        return
    if (other := _OTHER.get(type(node.op))) is not None:
        yield "operation", ast.unparse(ast.BinOp(node.left, other(), node.right))
    if isinstance(node.op, ast.FloorDiv):
        yield "rounding", ast.unparse(_upwards(node))
    if isinstance(node.op, _LEFT):
        yield "term dropped", ast.unparse(node.left)
    if isinstance(node.op, _RIGHT):
        yield "term dropped", ast.unparse(node.right)


def _upwards(node: ast.BinOp) -> ast.expr:
    """A quotient rounded up instead of down."""
    whole = ast.BinOp(ast.UnaryOp(ast.USub(), node.left), node.op, node.right)
    return ast.UnaryOp(ast.USub(), whole)


def _comparisons(node: ast.Compare) -> Iterator[tuple[str, str]]:
    for at, each in enumerate(node.ops):
        ops = [*node.ops]
        ops[at] = _COMPARED[type(each)]()
        yield "comparison", ast.unparse(ast.Compare(node.left, ops, node.comparators))


def _calls(node: ast.Call) -> Iterator[tuple[str, str]]:
    name = _name(node.func)
    if name in _CALLED:
        called = _CALLED[name]
        func = (
            ast.Name(called)
            if isinstance(node.func, ast.Name)
            else ast.Attribute(node.func.value, called)  # type: ignore[attr-defined]
        )
        yield "extreme", ast.unparse(ast.Call(func, node.args, node.keywords))
    if name in _DROPPED and node.args:
        yield "function dropped", ast.unparse(node.args[0])
    if name in _UNSWAPPED or (name in _EITHER_WAY and len(node.args) == 2):
        return
    for at, (one, other) in enumerate(zip(node.args, node.args[1:], strict=False)):
        if all(isinstance(each, ast.Name | ast.Attribute) for each in (one, other)):
            swapped = [*node.args]
            swapped[at : at + 2] = [other, one]
            yield "swapped", ast.unparse(ast.Call(node.func, swapped, node.keywords))


def _handed(node: ast.Name | ast.Attribute, role: str) -> Iterator[tuple[str, str]]:
    """What decides noise, handed on as something else."""
    name, whole = _name(node).lstrip("_"), ast.unparse(node)
    if role == "[]":
        return
    if name.endswith("tape"):
        yield "tape dropped", "None"
    elif name in _SPENT:
        yield "handed on", f"{whole} / 4"
        yield "handed on", f"{whole} * 4"
    elif name in ("allowance", "of_a_round"):
        yield "handed on", f"{whole}.part(16.0)"
        yield "handed on", f"{whole}.part(1 / 16)"
    elif name in ("budget", "cost", "rest"):
        yield "handed on", f"type({whole})(4 * {whole}.epsilon, {whole}.delta)"
        yield "handed on", f"type({whole})({whole}.epsilon / 4, {whole}.delta)"
