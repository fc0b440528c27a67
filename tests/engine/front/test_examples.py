"""Every example in a docstring of the front door comes out as it says."""

from __future__ import annotations

import doctest
from pathlib import Path
from types import FunctionType

import pandas
import pytest

import understudy

FUNCTIONS = [
    getattr(understudy, name)
    for name in understudy.__all__
    if isinstance(getattr(understudy, name), FunctionType)
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_the_example_of_a_name_comes_out_as_it_says(function: FunctionType, at_work: Path) -> None:
    (found,) = doctest.DocTestFinder(recurse=False).find(function, globs={"pandas": pandas})
    assert found.examples, "the docstring has no example"
    said: list[str] = []
    doctest.DocTestRunner().run(found, out=said.append)
    assert not said, "".join(said)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_a_docstring_names_every_argument_and_what_is_raised(function: FunctionType) -> None:
    text = function.__doc__ or ""
    code = function.__code__
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        assert f"{name}:" in text or f"{name}," in text, name
    assert "Raises:" in text
