"""What `make test` leaves out: what is marked, and each of it has a smaller test that stays."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[1]
_MARK = "pytest.mark.thorough"
pytest_plugins = ["pytester"]


def marked(tree: ast.AST) -> Iterator[tuple[ast.Call, list[ast.expr]]]:
    """Every use of the mark: the expression, and what it is called with."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == _MARK:
            yield node, node.args


def uses() -> list[tuple[Path, str]]:
    """Every use of the mark: where, and the test it names."""
    found = []
    for path in sorted(_ROOT.glob("tests/**/test_*.py")):
        if path == Path(__file__):
            continue
        text = path.read_text(encoding="utf-8")
        if _MARK not in text:
            continue
        tree = ast.parse(text)
        called = list(marked(tree))
        assert text.count(_MARK) == len(called), f"{path}: the mark names no test instead"
        for _, arguments in called:
            (named,) = arguments
            assert isinstance(named, ast.Constant), path
            found.append((path, named.value))
    return found


def left_out(tree: ast.Module, name: str) -> bool:
    """Whether a test as a whole is left out too, or is not there."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return any(
                _MARK in ast.unparse(each)
                for each in node.decorator_list
                if "parametrize" not in ast.unparse(each)
            )
    return True


def test_whatever_is_left_out_names_a_test_that_stays() -> None:
    there = uses()
    assert there
    for path, named in there:
        file, _, name = named.rpartition("::")
        instead = _ROOT / "tests" / file if file else path
        assert instead.is_file(), f"{path} names {named}"
        tree = ast.parse(instead.read_text(encoding="utf-8"))
        assert not left_out(tree, name), f"{path} names {named}, which does not stay"


def test_nothing_else_is_left_out(pytester: pytest.Pytester) -> None:
    pytester.makeconftest((_ROOT / "tests" / "conftest.py").read_text(encoding="utf-8"))
    pytester.makepyprojecttoml((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    pytester.makepyfile(
        test_it="""
        import pytest
        def test_small(): pass
        @pytest.mark.thorough("test_small")
        def test_large(): pass
        @pytest.mark.parametrize("size", [1, pytest.param(2, marks=pytest.mark.thorough("test"))])
        def test_sizes(size): pass
        """
    )
    usual = pytester.runpytest_inprocess("-p", "no:cacheprovider", "test_it.py")
    usual.assert_outcomes(passed=2, deselected=2)
    thorough = pytester.runpytest_inprocess("-p", "no:cacheprovider", "test_it.py", "--thorough")
    thorough.assert_outcomes(passed=4)


def test_the_command_of_every_day_selects_nothing_else() -> None:
    made = (_ROOT / "Makefile").read_text(encoding="utf-8")
    ran = re.findall(r"^\t\$\(BIN\)/python -m pytest (.*)$", made, re.MULTILINE)
    assert ran == ["--workers $(WORKERS)", "--workers $(WORKERS) --thorough"]
