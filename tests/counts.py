"""Counts of the source tree: lines, files, names, docstrings, imports; `python -m tests.counts`.

tests/test_names.py holds the shares that may only get smaller.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
PRODUCT: Final = ("engine", "dashboard")
TESTS: Final = ("tests",)

_ENDS_LIKE_ONE: Final = frozenset(("bed", "feed", "need", "seed", "speed", "exceed", "proceed"))
_PARTICIPLES: Final = """
begun bent borne bought bound broken brought built burnt caught chosen dealt done drawn driven
fallen fed felt fought forgiven forgotten found frozen given gone grown heard held hidden hung
kept known laid learnt led left lent lost made meant met paid proven ridden said seen sent
shaken shown shrunk shut slept sold sought spent spoken sprung spun stolen stood struck stuck
sung sunk sworn taken taught thought thrown told torn understood undone unsaid won worn woven
written
"""
_IRREGULAR: Final = frozenset(_PARTICIPLES.split())
"""Participles that do not end in -ed."""

_IMPERATIVES: Final = """
accept account add adopt allocate allow announce answer append apply arrange ask assign
authenticate average begin bound bring build call cancel carry change check choose clear close
code collect colour combine compare compile complete compose compute confirm connect convert
copy count cover create cut deal debit decide declare decode delete describe determine disable
discard display divide do draw drop edit empty enable encode end ensure enter enumerate erase
escape estimate evaluate exclude execute expand explain export extend extract fail fetch fill
find finish fit flag flatten follow forecast forget format free generate get give go group guess
guard handle have hide hold identify ignore import include index insert install intercept invert
join judge keep label launch lay lead learn leave let limit list load lock log look make map
mark match measure merge model monitor mount move name narrow normalise note number offer open
order parse pass pause pay permute pick place plan plot point prepare present print process
propose protect prove provide put raise rank read rebuild receive recode recognise reconcile
record refit refresh refuse register reject release remember remove rename render repeat replace
reply report require reserve reset resolve restore resume return reuse round run sample save say
scale scan score search seek select send serve set settle shorten show shuffle sign simplify
simulate skip solve sort spend split spread start state stop store stream subtract suggest sum
summarise swap take tell test time trace track train transform translate try turn undo unload
unlock update use validate verify wait walk warn weigh widen wrap write yield
"""
VERBS: Final = frozenset(_IMPERATIVES.split())
"""Verbs in the imperative that docstrings begin with."""


@dataclass(frozen=True)
class Function:
    """A function or method.

    Attributes:
        where: its file and line.
        name: its name.
        docstring: the text, or None.
        noun: whether a property, whose docstring begins with a noun.
        private: whether its name begins with an underscore.
    """

    where: str
    name: str
    docstring: str | None
    noun: bool
    private: bool


def paths(*folders: str) -> Iterator[Path]:
    """Yield the Python files of some folders, in order."""
    for folder in folders:
        yield from sorted((ROOT / folder).rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def list_functions(*folders: str) -> list[Function]:
    """Return every function and method of some folders."""
    return [
        Function(
            f"{path.relative_to(ROOT)}:{node.lineno}",
            node.name,
            ast.get_docstring(node),
            any(_last_name(each) in _PROPERTIES for each in node.decorator_list),
            node.name.startswith("_"),
        )
        for path in paths(*folders)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


_PROPERTIES: Final = {"property", "cached_property", "setter", "computed_field"}


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def is_participle(name: str) -> bool:
    """Return whether a name is one past participle and nothing else, such as `counted`."""
    word = name.strip("_")
    if "_" in word or word in _ENDS_LIKE_ONE:
        return False
    return word in _IRREGULAR or (word.endswith("ed") and len(word) > 4)


def begins_with_verb(docstring: str) -> bool:
    """Return whether the first word of a docstring is a verb in the imperative."""
    return re.split(r"\W", docstring.strip(), maxsplit=1)[0].lower() in VERBS


def list_texts(*folders: str) -> list[tuple[str, str]]:
    """Return file and line, and text, of every string of several words that is no docstring."""
    texts = []
    for path in paths(*folders):
        nodes = list(ast.walk(parsed(path)))
        alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        texts += [
            (f"{path.relative_to(ROOT)}:{node.lineno}", node.value)
            for node in nodes
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and " " in node.value
            and id(node) not in alone
        ]
    return texts


def count_code(path: Path) -> int:
    """Return the number of lines of a file that hold code, docstrings and comments left out."""
    text = path.read_text(encoding="utf-8")
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines.difference_update(range(node.lineno, (node.end_lineno or 0) + 1))
    return len(lines)


_NO_CODE: Final = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def list_importers() -> dict[str, set[str]]:
    """Return which modules import each module of the product."""
    modules = {
        ".".join(path.relative_to(ROOT / folder).with_suffix("").parts): path
        for folder in PRODUCT
        for path in paths(folder)
    }
    importers: dict[str, set[str]] = {name: set() for name in modules}
    for name, path in modules.items():
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ImportFrom) and node.module:
                targets = [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
            elif isinstance(node, ast.Import):
                targets = [each.name for each in node.names]
            else:
                continue
            for target in targets:
                if target in importers and target != name:
                    importers[target].add(name)
    return importers


def count_single_use() -> tuple[int, int]:
    """Return how many functions are private and named once besides their definition, and how many
    functions there are."""
    total = once = 0
    for path in paths(*PRODUCT):
        names = Counter(re.findall(r"\w+", path.read_text(encoding="utf-8")))
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                total += 1
                dunder = node.name.endswith("__")
                once += node.name.startswith("_") and not dunder and names[node.name] == 2
    return once, total


def count_matches(pattern: str, *folders: str) -> tuple[int, int]:
    """Return how often a regular expression matches, and in how many files."""
    texts = [path.read_text(encoding="utf-8") for path in paths(*folders)]
    hits = [len(re.findall(pattern, text)) for text in texts]
    return sum(hits), sum(map(bool, hits))


def share_participles(*folders: str) -> float:
    """Return the share of functions that are named by a lone participle."""
    functions = list_functions(*folders)
    return sum(is_participle(each.name) for each in functions) / len(functions)


def share_verbs(*folders: str) -> float:
    """Return the share of docstrings of functions, properties left out, that begin with a verb."""
    texts = [each.docstring for each in list_functions(*folders) if not each.noun]
    given = [each for each in texts if each]
    return sum(map(begins_with_verb, given)) / len(given)


def repeated_names(least: int = 2) -> dict[str, list[str]]:
    """Return public functions and classes of the top level that several modules define."""
    where: dict[str, list[str]] = {}
    for path in paths(*PRODUCT):
        for node in parsed(path).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                where.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    return {name: files for name, files in sorted(where.items()) if len(set(files)) >= least}


def list_stale_references(*folders: str) -> list[str]:
    """Return file and line, and name, of every name in backticks that is nowhere in the code."""
    names: set[str] = set()
    for path in paths("engine", "dashboard", "tests", "benchmarks"):
        names.update((*path.parts, path.stem))
        code = _PROSE.sub("", path.read_text(encoding="utf-8"))
        names.update(re.findall(r"[A-Za-z_]\w*", code))
    return [
        f"{path.relative_to(ROOT)}:{number} {name}"
        for path in paths(*folders)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for name in re.findall(r"`([A-Za-z_][\w.]*)`", line)
        if not name.endswith((".py", ".md", ".toml")) and not names.issuperset(name.split("."))
    ]


_PROSE: Final = re.compile(r'"""[\s\S]*?"""|#.*')


ASKS_FOR_CLASS: Final = r"isinstance\([^()]*\b(?:Categories|Grid|Continuous|Ranged)\b"
"""Code that asks for the class of a kind of column instead of the object."""
ASKS_FOR_NAME: Final = (
    r"\bkind\s*(?:==|!=|in|not in)\s*\(?(?:None, )?\"(?:categories|integers|numbers|continuous)\""
)
"""Code that compares the name of a kind of column."""


def main() -> None:
    """Print every count."""
    for title, folders in (("product", PRODUCT), ("tests", TESTS)):
        files = list(paths(*folders))
        lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
        code = sum(map(count_code, files))
        imports = sum(
            (node.end_lineno or 0) - node.lineno + 1
            for path in files
            for node in ast.walk(parsed(path))
            if isinstance(node, ast.Import | ast.ImportFrom)
        )
        print(
            f"{title}: {len(files):,} files, {lines:,} lines, {code / len(files):.0f} code a file"
        )
        print(f"  lines of imports: {imports / lines:.1%}")
    importers = list_importers()
    once, total = count_single_use()
    print(f"modules with one importer: {sum(len(each) == 1 for each in importers.values())}")
    print(f"functions private and called once: {once / total:.1%} of {total:,}")
    print(f"functions named by a lone participle: {share_participles(*PRODUCT):.1%}")
    print(f"docstrings that begin with a verb: {share_verbs(*PRODUCT):.1%}")
    print(f"public names defined in several modules: {len(repeated_names())}")
    for title, pattern in _PATTERNS.items():
        hits, places = count_matches(pattern, *PRODUCT)
        print(f"{title}: {hits} in {places} files")


_PATTERNS: Final = {
    "mechanism_of(": r"\bmechanism_of\(",
    "casts of types": r"(?<![.\w])cast\(",
    "isinstance on kinds of columns": ASKS_FOR_CLASS,
    "comparisons of kinds' names": ASKS_FOR_NAME,
}


if __name__ == "__main__":
    main()
