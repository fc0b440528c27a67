"""Rules from a file of R's `validate`: one a line, or a list in YAML. What is not understood is
named with its line; nothing is dropped without a sentence.

Of YAML only as much is read as `validate` writes: a list of rules, each with its settings in lines
of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from understudy.core.files import read_small_file
from understudy.core.refusal import Refusal
from understudy.core.text_escape import escape_invisible, shorten_text
from understudy.table.column import Column
from understudy.table.rules.rule import MOST_RULES, Rule
from understudy.table.rules.tree import show_rule

MOST_BYTES: Final = 1 << 20
_OPEN: Final = re.compile(r"(?:[&|+*/,<>=!-]|%in%|%vin%|\belse|\bif\s*§)\s*$")
_BRACKETS: Final = re.compile(r"\([^(){}]*\)|\{[^(){}]*\}")
_ELSE: Final = re.compile(r"\s*else\b")
_WORDS: Final = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|\#.*""")
_ITEM: Final = re.compile(r"(?P<indent>\s*)- (?P<rest>.*)")
_SETTING: Final = re.compile(r"(?P<indent>\s*)(?P<name>[A-Za-z_]\w*):(?:\s+(?P<value>.*))?$")
_USED: Final = frozenset({"expr", "name", "label", "description"})


@dataclass(frozen=True)
class RefusedRule:
    """A rule of a file that is not used.

    Attributes:
        line: where it begins, counted from 1.
        text: what stands there.
        problem, remedy: as of a refusal.
    """

    line: int
    text: str
    problem: str
    remedy: str

    @property
    def sentence(self) -> str:
        """What to know about it."""
        return f"Line {self.line:,}: {self.problem} {self.remedy}"


@dataclass(frozen=True)
class ImportedRules:
    """What a file of rules came to.

    Attributes:
        rules: those that are understood, as they come in the file.
        refused: the others.
        notes: sentences on what else of the file is not used.
    """

    rules: tuple[Rule, ...]
    refused: tuple[RefusedRule, ...]
    notes: tuple[str, ...]

    def added_to(self, rules: Sequence[Rule]) -> tuple[Rule, ...]:
        """Return rules with those of the file after them, none twice."""
        known = {rule.text for rule in rules}
        return (*rules, *(rule for rule in self.rules if rule.text not in known))


@dataclass(frozen=True)
class _Entry:
    """One rule of a file: where it begins, its text, and its settings."""

    line: int
    text: str
    settings: dict[str, str]


def load_rules(path: Path, columns: Sequence[Column]) -> ImportedRules:
    """Return the rules of a file.

    Args:
        path: the file.
        columns: those that rules may name.

    Raises:
        Refusal: it cannot be read, or holds no rule.
    """
    try:
        content = read_small_file(path, MOST_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise Refusal(
            f"The file of rules {path} cannot be read: {error.strerror or 'it failed'}.",
            "Check the path, and that the file may be read.",
            field="rules",
        ) from None
    except UnicodeDecodeError:
        raise Refusal(
            f"The file of rules {path} is not text in UTF-8.", "Save it as text.", field="rules"
        ) from None
    return read_rules(content, columns)


def read_rules(content: str, columns: Sequence[Column]) -> ImportedRules:
    """Return the rules of the content of a file.

    Args:
        content: lines of R, or YAML.
        columns: those that rules may name.

    Raises:
        Refusal: it holds no rule, or too many.
    """
    lines = content.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    notes: list[str] = []
    yaml = any(re.match(r"rules:\s*$|\s*- (expr|name):", line) for line in lines)
    entries = list(_read_yaml(lines, notes) if yaml else _read_lines(lines))
    if not entries:
        raise Refusal(
            "The file holds no rule.",
            'Write one a line, such as if (age < 16) marital == "single".',
            field="rules",
        )
    if len(entries) > MOST_RULES:
        raise Refusal(
            f"The file holds {len(entries):,} rules; at most {MOST_RULES:,} can be used.",
            "Take out those that others imply.",
            field="rules",
        )
    rules: dict[str, Rule] = {}
    refused = []
    for entry in entries:
        try:
            rule = _make_rule(entry)
            rule.bind(columns)
            if rule.text in rules:
                raise Refusal(
                    f"The rule “{rule.title}” stands in the file twice.", "It is used once."
                )
            rules[rule.text] = rule
        except Refusal as refusal:
            refused.append(
                RefusedRule(entry.line, show_rule(entry.text), refusal.problem, refusal.remedy)
            )
    return ImportedRules(tuple(rules.values()), tuple(refused), tuple(notes))


def _make_rule(entry: _Entry) -> Rule:
    settings = {name: " ".join(text.split()) for name, text in entry.settings.items()}
    name = settings.get("label") or settings.get("name", "")
    return Rule.read({"text": entry.text, "name": name, "note": settings.get("description", "")})


# Lines of R.


def _read_lines(lines: Sequence[str]) -> Iterator[_Entry]:
    """Yield the rules of lines of R. One goes on in the next line while a bracket is open, after a
    sign that needs another side, and before “else”."""
    held, start = "", 0
    for number, line in enumerate(lines, 1):
        bare = _WORDS.sub(lambda match: "" if match[0].startswith("#") else "x", line).strip()
        if held and not _is_open(held) and not _ELSE.match(bare):
            yield _Entry(start, held, {})
            held = ""
        if not bare and not held:
            continue
        if not held:
            start = number
        held = f"{held}\n{line}" if held else line
    if held:
        yield _Entry(start, held, {})


def _is_open(text: str) -> bool:
    """Return whether a rule is not complete yet."""
    bare, before = _WORDS.sub(lambda match: "" if match[0].startswith("#") else "x", text), ""
    while bare != before:
        before, bare = bare, _BRACKETS.sub("§", bare)
    return "(" in bare or "{" in bare or _OPEN.search(bare) is not None


# YAML as `validate` writes it.


def _read_yaml(lines: Sequence[str], notes: list[str]) -> Iterator[_Entry]:
    """Yield the rules of a list in YAML; what else stands there is noted."""
    unused: dict[str, None] = {}
    for start, block in _split_items(lines, unused):
        settings = dict(_read_settings(block, start, unused))
        line, text = settings.pop("expr", (start, ""))
        unused |= dict.fromkeys(name for name in settings if name not in _USED)
        yield _Entry(line, text, {name: value for name, (_, value) in settings.items()})
    if unused:
        names = ", ".join(f"“{shorten_text(escape_invisible(each), 60)}”" for each in unused)
        notes.append(f"Not used of the file: {names}.")


def _split_items(lines: Sequence[str], unused: dict[str, None]) -> Iterator[tuple[int, list[str]]]:
    """Yield the entries of the list, each with the number of its first line; its lines are indented
    as if it had no dash."""
    block, start, indent = list[str](), 0, -1
    for number, line in enumerate(lines, 1):
        item = _ITEM.match(line)
        if item is not None and indent in (-1, len(item["indent"])):
            if block:
                yield start, block
            indent, start = len(item["indent"]), number
            block = [f"{item['indent']}  {item['rest']}"]
        elif block and (not line.strip() or len(line) - len(line.lstrip()) > indent):
            block.append(line)
        elif line.strip() and not line.startswith(("#", "---", "...", "rules:")):
            unused[line.strip().partition(":")[0]] = None
            if block:
                yield start, block
            block = []
    if block:
        yield start, block


def _read_settings(
    block: Sequence[str], start: int, unused: dict[str, None]
) -> Iterator[tuple[str, tuple[int, str]]]:
    """Yield the settings of a rule: name, line and text."""
    indent = len(block[0]) - len(block[0].lstrip())
    name, line, parts = "", start, list[str]()
    for number, text in enumerate(block, start):
        setting = _SETTING.match(text)
        if setting is not None and len(setting["indent"]) == indent:
            if name:
                yield name, (line, _unfold(parts))
            name, line, parts = setting["name"], number, [setting["value"] or ""]
        elif name:
            parts.append(text.strip())
        else:
            unused[text.strip()] = None
    if name:
        yield name, (line, _unfold(parts))


def _unfold(parts: Sequence[str]) -> str:
    """Return the text of a setting: plain, in quotation marks, or in lines of its own."""
    first, *others = parts
    if re.fullmatch(r"[|>][+-]?\d?", first.strip()):
        return ("\n" if first.startswith("|") else " ").join(others).strip()
    whole = " ".join([first, *others]).strip()
    if len(whole) > 1 and whole[0] == whole[-1] == "'":
        return whole[1:-1].replace("''", "'")
    if len(whole) > 1 and whole[0] == whole[-1] == '"':
        return re.sub(r"\\(.)", lambda match: _unescape(str(match[1])), whole[1:-1])
    return whole


def _unescape(letter: str) -> str:
    return {"n": "\n", "t": "\t"}.get(letter, letter)
