"""Read the corpus: templates by topic (`corpus/*.txt`) and messages by writer (`corpus/messages/*.txt`).

A template line may choose, `(a|b|)`, fill, `{slot}`, and list terms, `~ a, b`; a message line is taken as it is, with
`\\n` for a line end. `== topic` opens a section of a writer's file. A line of the section `several` holds parts, each
after its `<topic>`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from butler_kit.textmodel.lexicon import LEXICON_FILE

__all__ = [
    "CORPUS",
    "TEMPLATES",
    "Several",
    "Template",
    "corpus_digest",
    "lines",
    "load",
    "load_several",
    "topics",
]

CORPUS = Path(__file__).resolve().parent.parent / "corpus"
TEMPLATES = "templates"
"""The writer's name of all template lines."""
_NOT_TOPICS = frozenset({"slots", "frames"})
_SEVERAL = "several"
_PART = re.compile(r"<(\w+)>")


@dataclass(frozen=True, slots=True)
class Template:
    """One corpus line: its topic, its text, its number, by which folds are made, and its writer.

    A `literal` text is a message as it stands; any other has choices and slots. The parts of one message of several
    subjects share their number.
    """

    topic: str
    text: str
    number: int
    writer: str = TEMPLATES
    literal: bool = False


@dataclass(frozen=True, slots=True)
class Several:
    """One message of several subjects: its text and the topic of each part in order."""

    text: str
    parts: tuple[tuple[str, str], ...]
    number: int


def topics(folder: Path = CORPUS) -> tuple[str, ...]:
    """The topics, in the order of the model's columns."""
    return tuple(sorted(path.stem for path in folder.glob("*.txt") if path.stem not in _NOT_TOPICS))


def corpus_digest(folder: Path = CORPUS) -> str:
    """The SHA-256 of the lexicon and of all corpus files in order of name: what a weights file was fitted on."""
    digest = hashlib.sha256()
    lexicon = resources.files("butler_kit.textmodel").joinpath(LEXICON_FILE)
    digest.update(LEXICON_FILE.encode() + b"\0" + lexicon.read_bytes() + b"\0")
    for path in [
        *sorted(folder.glob("*.txt")),
        *sorted(folder.glob("messages/*.txt")),
    ]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def lines(path: Path) -> Iterator[str]:
    """The lines of a corpus file without comments and blank lines."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line.strip()


def load(folder: Path = CORPUS) -> list[Template]:
    """All templates (each term of a `~` line is one of its own), then all messages of the writers."""
    found: list[Template] = []
    for topic in topics(folder):
        for line in lines(folder / f"{topic}.txt"):
            texts = [f"~{term.strip()}" for term in line[1:].split(",")] if line.startswith("~") else [line]
            found.extend(Template(topic, text, len(found) + n) for n, text in enumerate(texts))
    number = len(found)
    for writer, topic, line in _messages(folder):
        for name, text in _parts(line) if topic == _SEVERAL else [(topic, line)]:
            found.append(Template(name, text.strip(), number, writer, literal=True))
        number += 1
    return found


def load_several(folder: Path = CORPUS) -> list[Several]:
    """The messages of several subjects, numbered as their parts are in `load`."""
    whole = [
        Several("".join(text for _, text in _parts(line)).strip(), tuple(_parts(line)), number)
        for number, (_, topic, line) in enumerate(_messages(folder))
        if topic == _SEVERAL
    ]
    first = min(template.number for template in load(folder) if template.literal)
    return [Several(item.text, item.parts, item.number + first) for item in whole]


def _messages(folder: Path) -> Iterator[tuple[str, str, str]]:
    for path in sorted(folder.glob("messages/*.txt")):
        topic = ""
        for line in lines(path):
            if line.startswith("== "):
                topic = line[3:].strip()
            else:
                yield path.stem, topic, line.replace("\\n", "\n")


def _parts(line: str) -> list[tuple[str, str]]:
    pieces = _PART.split(line)
    return list(zip(pieces[1::2], pieces[2::2], strict=True))
