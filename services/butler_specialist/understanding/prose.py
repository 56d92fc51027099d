"""What the sender wrote for this message, and its sentences (pure).

Quotes, reply headers and signatures are left out; a forwarded part stays, since it is why the message was sent. The
subject of a mail is separate from its body; without a body it is the text. What the router said a part refers back
to is kept separately as `carried`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from butler_contracts.ingest import NORMALIZED_TEXT_MAX
from butler_kit.wording.folding import fold
from butler_specialist.understanding.abbreviations import ends_short
from butler_specialist.understanding.calendar_words import MONTHS

__all__ = ["Prose", "is_carried", "one_line", "own_prose", "senders_lines"]

_CARRIED: Final = re.compile(r"\(Said before(?: in the same message)?: ")
_SUBJECT: Final = re.compile(r"\s*+Subject:[ \t]*+(?P<subject>[^\n]*+)(?:\n[ \t]*+\n|\s*+\Z)")
_FORWARDED: Final = re.compile(r"\s*(?:re|fwd?|aw|wg|tr|rv|antw)\s*:", re.IGNORECASE)
_PASSED_ON: Final = re.compile(r"-{4,} ?Forwarded message ?-{4,}", re.IGNORECASE)
"""What the mail connector writes above a forwarded mail, whichever program sent it."""
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
_NAME: Final = r"(?-i:[A-ZÄÖÜÉÈÁÍÓÚÑА-Я])[\w'’.-]*+"
_CLOSING: Final = re.compile(
    r"(?:(?:kind|best|warm|many)? ?(?:regards|wishes)|yours \w+|sincerely|cheers|thanks|thank you|love|best|hugs|xx+"
    r"|merci(?: beaucoup| d'avance)?|danke|vielen dank|gracias"
    r"|(?:mit )?(?:freundlichen|herzlichen|besten|liebe|viele|beste)? ?gr[üu](?:ß|ss)(?:en?)?|[lv]g|mfg"
    r"|cordialement|bises"
    rf"|saludos|un (?:saludo|abrazo)|atentamente)[,.! ]*+(?:[-–—,]? ?{_NAME}(?: {_NAME})?)?[,.! ]*+$",
    re.IGNORECASE,
)
_BREAK: Final = re.compile(
    r"(?<=[.!?…])\s+(?=[\"“„«(]?[^\W_a-z]|[\"“„«(]?\d)|(?<=[^\W\d_]{2}[.!?])\s+(?=[\"“„«(]?[a-z])|\n+|(?<=;)\s+"
)
"""A sentence may begin in lower case: "for the taxi. the trip is on Friday".

Not after a number or one letter.
"""
_DAY_OF_MONTH: Final = re.compile(
    r"(?P<told>\b(?:am|zum|vom|bis|der|den|dem|ab)\s+)?(?<![\d:.,-])\d{1,2}\.$", re.IGNORECASE
)
_DAY_IN_FIGURES: Final = re.compile(r"(?<![\d.])(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.$")
_NEW_SENTENCE: Final = re.compile(r"[\"“„«(]?[A-ZÄÖÜÉ][\w'’-]+ (?![Uu]hr\b)")
_NEXT_WORD: Final = re.compile(r"[^\W\d_]+")
_LONGEST_ABBREVIATION: Final = 10
_SHORT_LINE: Final = 56
_NARROWEST: Final = 64
"""The characters before which no mail program breaks lines."""
_LISTED: Final = re.compile(r"\s*(?:[-*•]|\d+[.)])\s")
_BULLET: Final = re.compile(r"\s*(?:[-*•–]|\(?\d{1,2}[.)])\s+(?=\W*(?P<word>\w+))")
_ITEM: Final = re.compile(r"(?:(?<=\s)|\A)(?P<n>\d{1,2})[.)](?=\s+[\"“„«]?(?P<word>[^\W\d_]+))")
_BEFORE_A_DAY: Final = re.compile(r"\b(?:am|zum|vom|bis|der|den|dem|ab|le|el|on|the)\s+\Z", re.IGNORECASE)
_SHORT_DAY: Final = re.compile(r"(?=.*\d)\W*+\w++(?:\W++\w++){0,2}+\W*+")
"""A subject that may only say when; a one-word body is then not a signature."""
_MARK: Final = re.compile(r"[\W_]*+\d{0,2}+[\W_]*+")
"""The remains of a list's numbers."""
_MOST_CHARS: Final = NORMALIZED_TEXT_MAX + 1_024
"""A whole message, and what the router adds to it."""
_MOST_CARRIED_CHARS: Final = 1_000
_MOST_SENTENCES: Final = 2_000
"""The most sentences read, since each costs a reading; the answer says if there are more."""
_SENTENCE_CHARS: Final = 1_000
"""No person writes a longer sentence: it is read in pieces."""
_ROW: Final = re.compile(
    r"\s*(?:\(?\d{1,4}[./-]\d|(?-i:[A-Z]{1,2}\d?) ?\d{2,4}\b|\d{1,2} [A-Z][a-z]{2}|[A-Z][a-z]{2},? \d)"
)
_ROW_END: Final = re.compile(r"\d\s*(?:[€$£]|[A-Z]{3})?\s*$")


@dataclass(frozen=True, slots=True)
class Prose:
    """The sender's own words: the text, its sentences, and what is carried from before them.

    `unread` is the number of sentences beyond those.
    """

    text: str
    sentences: tuple[str, ...]
    carried: str = ""
    subject: str = ""
    unread: int = 0


def own_prose(prompt: str) -> Prose:
    """Read a prompt; a text of only quotes is taken whole, and a mail without a body is its subject."""
    whole, carried = _split_carried(prompt)
    whole = whole.replace("\r\n", "\n")
    subject, body = _subject_and_body(whole[:_MOST_CHARS])
    text = _signed_off("\n".join(_own_lines(body)), least=0 if subject else 3).strip() or body.strip()
    if subject and (not text or _is_a_name(text) or _CLOSING.match(text)):
        subject, text = "", f"{subject}\n{text}" if text and _SHORT_DAY.fullmatch(subject) else subject
    sentences = _sentences(text)
    unread = max(0, len(sentences) - _MOST_SENTENCES) + len(whole[_MOST_CHARS:].splitlines())
    return Prose(text, sentences[:_MOST_SENTENCES], carried, subject, unread)


def senders_lines(prompt: str) -> str:
    """Return only the sender's own lines: nothing quoted, forwarded or carried, and no subject."""
    whole, _ = _split_carried(prompt)
    _, body = _subject_and_body(whole.replace("\r\n", "\n")[:_MOST_CHARS])
    lines = body.split("\n")
    passed_on = (n for n, line in enumerate(lines) if _PASSED_ON.fullmatch(line.strip()))
    return "\n".join(_written(lines[: next(passed_on, len(lines))])).strip()


def _subject_and_body(prompt: str) -> tuple[str, str]:
    """Return a mail's subject without reply and forward marks, and the body."""
    match = _SUBJECT.match(prompt)
    if match is None:
        return "", prompt
    subject, body = match["subject"].strip(), prompt[match.end() :]
    while mark := _FORWARDED.match(subject):
        subject = subject[mark.end() :].strip()
    if len(subject) > _SENTENCE_CHARS:  # a text in the wrong place
        return subject[:_SENTENCE_CHARS], f"{subject[_SENTENCE_CHARS:]}\n\n{body}"
    return subject, body


def one_line(text: str, *, most: int) -> str:
    """Return the text on one line of at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def _split_carried(prompt: str) -> tuple[str, str]:
    whole = prompt.rstrip()
    mark = _CARRIED.search(whole)
    if mark is None or not whole.endswith(")"):
        return prompt, ""
    return whole[: mark.start()].rstrip("\n"), whole[mark.end() : -1][:_MOST_CARRIED_CHARS]


def is_carried(line: str) -> bool:
    """Return whether a line is what the router added, not the sender's."""
    return _CARRIED.match(line) is not None


def _own_lines(body: str) -> list[str]:
    """Return the sender's own lines and those of a mail they forward; each ends where its writer signs."""
    lines = body.split("\n")
    below = next((n for n, line in enumerate(lines) if _PASSED_ON.fullmatch(line.strip())), len(lines))
    quoted = lines[below + 1 : below + 2]  # "On … wrote:" of a mail forwarded as a quotation
    head = below + 1 + bool(quoted and _REPLY_HEADER.fullmatch(quoted[0]))
    return _written(lines[:below]) + lines[below:head] + _written(lines[head:])


def _written(lines: list[str]) -> list[str]:
    kept: list[str] = []
    begun = False
    for line in lines:
        if _SIGNATURE.match(line) or _REPLY_HEADER.fullmatch(line):
            break
        bare = line.strip()
        if begun and _CLOSING.match(bare):
            break
        begun = begun or bool(bare and not _GREETING.match(bare))
        if not _QUOTE.match(line):
            kept.append(line.rstrip())
    return kept


def _signed_off(text: str, *, least: int) -> str:
    """Return the text without a last paragraph that only signs, if at least `least` words precede it."""
    before, gap, last = text.rstrip().rpartition("\n\n")
    announces = before.rstrip()[-1:] in ("", ":", ",")
    said = not _GREETING.match(before.strip()) and len(before.split()) >= least
    return before if gap and said and not announces and _is_a_name(last.strip()) else text


def _sentences(text: str) -> tuple[str, ...]:
    found: list[str] = []
    for piece in _pieces(_unwrapped(_one_item_a_line(text))):
        bare = _without_bullet(piece).strip().rstrip(";")
        if not _MARK.fullmatch(bare) and not _GREETING.match(bare):
            found.extend(_of_bearable_length(bare))
    return tuple(found or _of_bearable_length(text.strip()))


def _without_bullet(line: str) -> str:
    bullet = _BULLET.match(line)
    return line[bullet.end() :] if bullet and fold(bullet["word"]) not in MONTHS else line


def _one_item_a_line(text: str) -> str:
    """Return the text with each item of a list numbered 1, 2, 3 on a line of its own."""
    starts: list[int] = []
    number = 0
    for match in _ITEM.finditer(text):
        next_one = not starts or int(match["n"]) == number + 1
        before = text[max(0, match.start() - 8) : match.start()]
        if next_one and fold(match["word"]) not in MONTHS and not _BEFORE_A_DAY.search(before):
            starts.append(match.start())
            number = int(match["n"])
    if len(starts) < 2:
        return text
    ends = [*starts, len(text)]
    return "\n".join([text[: starts[0]].rstrip(), *(text[a:b].strip() for a, b in pairwise(ends))])


def _of_bearable_length(sentence: str) -> Iterator[str]:
    """Yield the sentence, split between words if it is too long."""
    while len(sentence) > _SENTENCE_CHARS:
        gap = sentence.rfind(" ", _SENTENCE_CHARS // 2, _SENTENCE_CHARS)
        end = gap if gap > 0 else _SENTENCE_CHARS
        yield sentence[:end]
        sentence = sentence[end:].strip()
    if sentence:
        yield sentence


def _unwrapped(text: str) -> str:
    """Join lines that were only broken for their length."""
    lines = text.split("\n")
    width = max(_NARROWEST, *map(len, lines))
    joined = lines[:1]
    for above, line in pairwise(lines):
        before = joined[-1]
        row = _ROW.match(before) if line[:1].isupper() else _ROW.match(line) and _ROW_END.search(before)
        row = row or (_ROW.match(line) and _ROW.match(before))
        if _broken_for_length(above, line, width) and not row and not _LISTED.match(line):
            joined[-1] = f"{before} {line.strip()}"
        else:
            joined.append(line)
    return "\n".join(joined)


def _broken_for_length(above: str, line: str, width: int) -> bool:
    """Return whether the first word of `line` had no room on the line above, in a text `width` wide."""
    if len(above) <= _SHORT_LINE or above[-1:] in ".!?:;" or not line[:1].strip():
        return False
    return len(above) + 1 + len(line.split(maxsplit=1)[0]) > width


def _pieces(text: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    for match in _BREAK.finditer(text):
        if "\n" not in match.group() and _goes_on(text, start, match):
            continue
        pieces.append(text[start : match.start()])
        start = match.end()
    return [*pieces, text[start:]]


def _goes_on(text: str, start: int, gap: re.Match[str]) -> bool:
    """Return whether the full stop before a gap ends an abbreviation or a day: "am 2. Dezember"."""
    before = max(start, gap.start() - _LONGEST_ABBREVIATION)
    if ends_short(text[before : gap.start()], small=text[gap.end() : gap.end() + 1].islower()):
        return True
    if _DAY_IN_FIGURES.search(text, before, gap.start()) and not _NEW_SENTENCE.match(text, gap.end()):
        return True
    day = _DAY_OF_MONTH.search(text, before, gap.start())
    following = _NEXT_WORD.match(text, gap.end())
    return day is not None and bool(day["told"] or (following and fold(following.group()) in MONTHS))


def _is_a_name(text: str) -> bool:
    """Return whether this only names the sender: one to three words, each with a capital."""
    return re.fullmatch(rf"{_NAME}(?: (?:(?:de|van|von|der) )?{_NAME}){{0,2}}", text) is not None
