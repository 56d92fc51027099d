"""What the sender wrote for this message, and its sentences (pure).

Quotes, reply headers and signatures are left out; a forwarded part stays, for it is why the message was sent.
What the router said a part refers back to is kept apart as `carried`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["Prose", "one_line", "own_prose"]

_CARRIED: Final = re.compile(r"\n*\(Said before in the same message: (.*)\)\s*\Z", re.DOTALL)
_QUOTE: Final = re.compile(r"\s*>")
_REPLY_HEADER: Final = re.compile(
    r"\s*(?:On\b.{4,160}\bwrote:|Am\b.{4,160}\bschrieb.{0,80}:|Le\b.{4,160}\ba écrit ?:"
    r"|El\b.{4,160}\bescribió:"
    r"|-{2,} ?Original .{0,40}-{2,}|-{2,} ?Ursprüngliche Nachricht ?-{2,}"
    r"|-{2,} ?Message d'origine ?-{2,})\s*"
)
_SIGNATURE: Final = re.compile(
    r"-- ?$|_{8,}$|Sent from my |Von meinem .{2,40} gesendet|Envoyé de mon |Enviado desde mi "
)
_GREETING: Final = re.compile(
    r"(?:dear|hello|hi|hey|liebe[rs]?|hallo|guten (?:tag|morgen|abend)|bonjour|bonsoir|hola|buenos dias"
    r"|chere?)\b[^.!?:\d]{0,30}[,!]?$",
    re.IGNORECASE,
)
_CLOSING: Final = re.compile(
    r"(?:(?:kind|best|warm|many)? ?(?:regards|wishes)|yours \w+|sincerely|cheers|thanks|thank you|love"
    r"|hugs|merci\b.{0,20}"
    r"|(?:mit )?(?:freundlichen|herzlichen|besten|liebe|viele|beste)? ?gr[üu](?:ß|ss)en?|cordialement"
    r"|saludos|un saludo|atentamente)[,.! ]*$",
    re.IGNORECASE,
)
_BREAK: Final = re.compile(r"(?<=[.!?…])\s+(?=[\"“„«(]?[^\W_a-z]|[\"“„«(]?\d)|\n+")
_ABBREVIATED: Final = re.compile(
    r"(?:\b(?:no|nr|dr|mr|mrs|ms|st|str|tel|ca|approx|z\.b|d\.h|usw|bzw|sr|sra|av|p\.m|a\.m)\."
    r"|\b\d{1,2}\.)$",
    re.IGNORECASE,
)
_SHORT_LINE: Final = 56
_MOST_CHARS: Final = 20_000
_MOST_SENTENCES: Final = 200


@dataclass(frozen=True, slots=True)
class Prose:
    """The sender's own words: the text, its sentences, and what is carried from elsewhere in the message."""

    text: str
    sentences: tuple[str, ...]
    carried: str = ""


def own_prose(prompt: str) -> Prose:
    """Read a prompt; a text of nothing but quotes is taken whole."""
    carried = _CARRIED.search(prompt)
    body = prompt[: carried.start()] if carried else prompt
    body = body.replace("\r\n", "\n")[:_MOST_CHARS]
    kept = _own_lines(body)
    text = "\n".join(kept).strip() or body.strip()
    return Prose(text, _sentences(text), carried.group(1) if carried else "")


def one_line(text: str, *, most: int) -> str:
    """The text on one line of at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def _own_lines(body: str) -> list[str]:
    kept: list[str] = []
    for line in body.split("\n"):
        if _SIGNATURE.match(line) or _REPLY_HEADER.fullmatch(line):
            break
        if _CLOSING.match(line.strip()) and kept:
            break
        if not _QUOTE.match(line):
            kept.append(line.rstrip())
    return kept


def _sentences(text: str) -> tuple[str, ...]:
    found: list[str] = []
    for piece in _pieces(_unwrapped(text)):
        bare = piece.strip()
        if bare and not _GREETING.match(bare):
            found.append(bare)
    if len(found) > 1 and _is_a_name(found[-1]):
        found.pop()
    return tuple(found[:_MOST_SENTENCES]) or ((text.strip(),) if text.strip() else ())


def _unwrapped(text: str) -> str:
    """Join lines that were only broken for their length."""
    lines = text.split("\n")
    joined: list[str] = []
    for line in lines:
        before = joined[-1] if joined else ""
        wrapped = len(before) > _SHORT_LINE and before[-1:] not in ".!?:;" and line[:1].strip()
        if joined and wrapped and not re.match(r"\s*(?:[-*•]|\d+[.)])\s", line):
            joined[-1] = f"{before} {line.strip()}"
        else:
            joined.append(line)
    return "\n".join(joined)


def _pieces(text: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    for match in _BREAK.finditer(text):
        if "\n" not in match.group() and _ABBREVIATED.search(text, start, match.start()):
            continue
        pieces.append(text[start : match.start()])
        start = match.end()
    return [*pieces, text[start:]]


def _is_a_name(line: str) -> bool:
    """A last line that only says who writes."""
    words = line.split()
    return (
        1 <= len(words) <= 3
        and all(re.fullmatch(r"[^\W\d_][\w'.-]*", word) for word in words)
        and line[0].isupper()
    )
