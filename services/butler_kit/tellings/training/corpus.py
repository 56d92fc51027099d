"""Read the corpus: a line is a sort, a tab and a clause; a file is a language, or plain clauses of all of them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CORPUS", "Line", "corpus_digest", "load", "sorts"]

CORPUS = Path(__file__).resolve().parent.parent / "corpus"


@dataclass(frozen=True, slots=True)
class Line:
    """One clause with its sort."""

    sort: str
    text: str


def load(folder: Path = CORPUS) -> list[Line]:
    """All lines in the order of the files' names; `ValueError` names one that is none."""
    return [
        _line(text, f"{file.name}:{number}")
        for file in sorted(folder.glob("*.tsv"))
        for number, text in enumerate(file.read_text("utf-8").splitlines(), 1)
    ]


def _line(text: str, place: str) -> Line:
    sort, tab, clause = text.partition("\t")
    if not (sort and tab and clause.strip()):
        raise ValueError(f"{place}: expected a sort, a tab and a clause, not {text!r}")
    return Line(sort, clause)


def sorts(folder: Path = CORPUS) -> tuple[str, ...]:
    """The sorts, in the order of the model's columns."""
    return tuple(sorted({line.sort for line in load(folder)}))


def corpus_digest(folder: Path = CORPUS) -> str:
    """The SHA-256 of all corpus files in order of name: what a weights file was fitted on."""
    digest = hashlib.sha256()
    for file in sorted(folder.glob("*.tsv")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()
