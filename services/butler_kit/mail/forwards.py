"""Locating a forwarded mail within another, in the styles of the mail programs (RFC 2046 has none). Pure.

`MARK` is put above it, whichever program wrote it, so that a reader of the text needs to know only one line.
Invariant: no word is lost but the program's own line; each line is examined to a bounded length.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["MARK", "Place", "marked", "place_in"]

MARK: Final = "---------- Forwarded message ----------"
_MARKED: Final = re.compile(r"-{4,} ?Forwarded message ?-{4,}", re.IGNORECASE)
_FRAME: Final = r"[\s\-_*=]{0,40}"
_PASSED_ON: Final = (
    r"(?:begin )?forwarded message|weitergeleitete (?:nachricht|mail)"
    r"|anfang der weitergeleiteten (?:nachricht|e-?mail)|(?:début du )?message (?:transféré|réexpédié)"
    r"|(?:inicio del )?mensaje reenviado|(?:inizio )?messaggio inoltrato|(?:begin )?doorgestuurd bericht"
    r"|(?:início da )?mensagem (?:re)?encaminhada"
)
_ORIGINAL: Final = (
    r"original (?:message|e-?mail)|ursprüngliche (?:nachricht|mail)|original-?nachricht|message d[’']origine"
    r"|mensaje original|messaggio originale|oorspronkelijk bericht|mensagem original"
)
_EXPLICIT: Final = re.compile(rf"{_FRAME}(?:{_PASSED_ON})", re.IGNORECASE)
_ONLY: Final = re.compile(rf"{_FRAME}(?:{_PASSED_ON}|{_ORIGINAL})\s?:?{_FRAME}", re.IGNORECASE)
_DASHED: Final = re.compile(rf"[\s*]{{0,4}}-{{2,}}\s?(?:{_ORIGINAL})\s?-{{2,}}", re.IGNORECASE)
_FROM: Final = re.compile(r"\*?(?:From|Von|De|Da|Van)\s?:\*?\s?\S", re.IGNORECASE)
_FIELD: Final = re.compile(
    r"\*?(?:(?P<when>Sent|Date|Gesendet|Datum|Envoyé|Enviado(?: el)?|Fecha|Inviato|Data|Verzonden)"
    r"|(?P<to>To|An|À|Para|A|Aan|Pour)"
    r"|(?P<about>Subject|Betreff|Objet|Sujet|Asunto|Oggetto|Onderwerp|Assunto))\s?:",
    re.IGNORECASE,
)
_BLOCK_LINES: Final = 8
_QUOTED: Final = re.compile(r"^> ?")
_BEFORE_QUOTE: Final = 4
"""Lines from the mark to the quotation: an empty one, and who wrote it when, once folded."""
_RULE: Final = re.compile(r"[_-]{5,}")


@dataclass(frozen=True, slots=True)
class Place:
    """The line where the forwarded mail begins; `explicit` if the words say forwarded, not replied to."""

    line: int
    explicit: bool


def place_in(lines: Sequence[str]) -> Place | None:
    """Return where the first unquoted mail within these lines begins; the lines are stripped and short."""
    for number, line in enumerate(lines):
        if _EXPLICIT.match(line):
            return Place(number, explicit=True)
        if _DASHED.match(line):
            return Place(number, explicit=False)
        if _heads_a_mail(lines, number):
            return Place(_with_rule(lines, number), explicit=False)
    return None


def marked(lines: Sequence[str], begin: int) -> str:
    """Return the lines with `MARK` above the mail that begins there, and its quoting signs removed."""
    own, first, rest = list(lines[:begin]), lines[begin].strip(), list(lines[begin + 1 :])
    if not _ONLY.fullmatch(first) and not _RULE.fullmatch(first):
        rest.insert(0, lines[begin])
    if not _MARKED.fullmatch(first):
        first = MARK
    return "\n".join([*own, first, *_unquoted(rest)]).strip()


def _with_rule(lines: Sequence[str], number: int) -> int:
    """Return the line of Outlook's rule above its block, if there is one, else `number`."""
    return number - 1 if number and _RULE.fullmatch(lines[number - 1]) else number


def _heads_a_mail(lines: Sequence[str], number: int) -> bool:
    """Return whether Outlook's header block begins here: `From:`, then two of date, recipient and subject."""
    if not _FROM.match(lines[number]):
        return False
    below = [_FIELD.match(line) for line in lines[number + 1 : number + _BLOCK_LINES]]
    return len({found.lastgroup for found in below if found}) >= 2


def _unquoted(lines: list[str]) -> list[str]:
    """Return the lines without the `>` of a mail forwarded as a quotation, as far as that goes."""
    begin = next((n for n, line in enumerate(lines[:_BEFORE_QUOTE]) if line.startswith(">")), len(lines))
    tail = range(begin, len(lines))
    end = next((n for n in tail if lines[n].strip() and not lines[n].startswith(">")), len(lines))
    return [*lines[:begin], *(_QUOTED.sub("", line) for line in lines[begin:end]), *lines[end:]]
