"""The commands that the documents tell a reader to type, taken out of their code blocks.

A line may say more than a shell takes: `[--state WORD]` is optional, `hourly|daily` is a choice, a word in capitals
stands for a value, what follows two spaces or ` #` is for the reader.
"""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Documented", "documented"]

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "CONTRIBUTING.md", "docs/**/*.md", "examples/**/*.md", "charts/**/*.md")
_PROGRAM = re.compile(r"^(?:\$ )?(?:\.venv/bin/)?(?P<command>(?:butlers|kubectl|helm|make)\b.*)$")
_CODE_LINE = re.compile(r"^(?: {4}|\t)(?P<text>\s*\S.*)$")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_FOR_THE_READER = re.compile(r"\s{2,}|\s+#")
_OPTIONAL = re.compile(r" \[(?P<inner>[^\]\"']*)\]")


@dataclass(frozen=True)
class Documented:
    """One command line of a page; `text` as it stands there, without what is for the reader."""

    page: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line} {self.text}"

    @property
    def program(self) -> str:
        """`butlers`, `kubectl`, `helm` or `make`."""
        return self.text.partition(" ")[0]

    def shortest(self) -> list[str]:
        """The words after the program without anything optional, the first of each choice."""
        return next(_choices(shlex.split(_OPTIONAL.sub("", self.text))[1:]))

    def spellings(self) -> Iterator[list[str]]:
        """The words after the program in every way that the line allows: nothing optional, all of it, each choice."""
        for text in {_OPTIONAL.sub("", self.text), _OPTIONAL.sub(r" \g<inner>", self.text)}:
            yield from _choices(shlex.split(text)[1:])


def documented(*programs: str) -> list[Documented]:
    """Every command of `programs` in the documents, in the order of pages and lines."""
    pages = sorted({path for pattern in PAGES for path in ROOT.glob(pattern)})
    found = (command for page in pages for command in _of_page(page))
    return [command for command in found if command.program in programs]


def _of_page(page: Path) -> Iterator[Documented]:
    name = page.relative_to(ROOT).as_posix()
    for number, text in _code_lines(page.read_text("utf-8")):
        if matched := _PROGRAM.match(text.strip()):
            yield Documented(name, number, _FOR_THE_READER.split(matched["command"])[0].rstrip(" \\"))


def _code_lines(page: str) -> Iterator[tuple[int, str]]:
    """The lines of fenced and indented code; a line that ends in a backslash with the one after it."""
    fenced, begun, first = False, "", 0
    for number, line in enumerate(page.splitlines(), start=1):
        if _FENCE.match(line):
            fenced = not fenced
            continue
        indented = _CODE_LINE.match(line)
        if not (fenced or indented):
            continue
        text = f"{begun} {line.strip()}" if begun else line.strip()
        if text.endswith("\\"):
            begun, first = text[:-1].rstrip(), first or number
            continue
        yield first or number, text
        begun, first = "", 0


def _choices(words: list[str]) -> Iterator[list[str]]:
    """Every way to take one of `a|b` in each word; a quoted word with blanks is a text, not a choice."""
    offered = (word.split("|") if re.fullmatch(r"[\w-]+(\|[\w-]+)+", word) else [word] for word in words)
    return (list(taken) for taken in itertools.product(*offered))
