"""PURE: a text as Telegram messages: the mark of the butler, the parts, and the entities of each.

Invariants: the same text always gives the same parts, so a part with a receipt is never sent again. Entities are
counted by us and nested as the Bot API wants them: no text can be refused for its markup.

Source: https://core.telegram.org/bots/api#messageentity, #formatting-options.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from telegram import MessageEntity

from butler_kit.markup import Rich, Span, Style
from butler_messenger.delivery.splitting import Cut, pieces, units

__all__ = ["TELEGRAM_LIMIT", "Part", "telegram_parts"]

TELEGRAM_LIMIT: Final = 4096
"""The longest text of one message (Bot API, sendMessage), counted in UTF-16 units, so never too long."""
_MOST_ENTITIES: Final = 100
"""The most entities of one message; Telegram leaves out further ones."""

_TYPES: Final = {
    Style.BOLD: MessageEntity.BOLD,
    Style.ITALIC: MessageEntity.ITALIC,
    Style.STRUCK: MessageEntity.STRIKETHROUGH,
    Style.CODE: MessageEntity.CODE,
    Style.PRE: MessageEntity.PRE,
    Style.LINK: MessageEntity.TEXT_LINK,
    Style.QUOTE: MessageEntity.BLOCKQUOTE,
}
_EMPHASIS: Final = (Style.BOLD, Style.ITALIC, Style.STRUCK)
_CODE: Final = (Style.CODE, Style.PRE)
_BLOCKS: Final = (Style.PRE, Style.QUOTE)
_INLINE: Final = (*_EMPHASIS, Style.CODE, Style.LINK)


@dataclass(frozen=True, slots=True)
class Part:
    """One message; offsets and lengths of its entities are UTF-16 units of the text."""

    text: str
    entities: tuple[MessageEntity, ...] = ()


def telegram_parts(
    origin: str, said: Rich, *, marked: bool = True, limit: int = TELEGRAM_LIMIT
) -> tuple[Part, ...]:
    """Return the text as messages of at most `limit` UTF-16 units, each with the mark, several with `(1/3)`.

    A text that already opens with the mark is not marked again. One that is not `marked` has none, unless it is empty
    or opens with a blank of code, which Telegram would strip. Spans of markup are cut in two if necessary.
    """
    mark = f"[{origin}]"
    body = _without(mark, said)
    opening = f"{mark} " if marked or not body.text[:1].strip() else ""
    if units(opening) + units(body.text) <= limit:
        return (_part(opening.rstrip(), body, (0, len(body.text))),)
    levels = (_union(body.spans, tuple(Style)), _union(body.spans, _INLINE))
    for digits in count(1):
        room = limit - units(f"{opening}(/) ") - 2 * digits
        cuts = list(pieces(body.text, room, whole=levels, code=_union(body.spans, [Style.PRE])))
        if len(cuts) < 10**digits:
            break
    return tuple(
        _part(f"{opening}({number}/{len(cuts)})", body, cut) for number, cut in enumerate(cuts, start=1)
    )


def _without(mark: str, said: Rich) -> Rich:
    """Return the text without a leading mark and leading blanks; a line of code keeps its leading blanks."""
    text = said.text.rstrip()
    rest = text.lstrip().removeprefix(mark).lstrip()
    start = len(text) - len(rest)
    code = (s.start for s in said.spans if s.style is Style.PRE and not text[s.start : start].strip())
    start = min(start, next(code, start))
    return Rich(text[start:], tuple(_within(said.spans, (start, len(text)))))


def _within(spans: Iterable[Span], cut: Cut) -> Iterator[Span]:
    """Yield the spans inside a part of the text, counted from its start."""
    start, end = cut
    for span in spans:
        first, last = max(span.start, start), min(span.end, end)
        if first < last:
            yield Span(span.style, first - start, last - start, span.value)


def _union(spans: Iterable[Span], styles: Collection[Style]) -> list[Cut]:
    """Return the ranges with any of these styles, disjoint and in order."""
    found: list[Cut] = []
    for span in spans:
        if span.style not in styles:
            continue
        if found and span.start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], span.end))
        else:
            found.append((span.start, span.end))
    return found


def _part(opening: str, body: Rich, cut: Cut) -> Part:
    """Return one message, with the first of its entities, as many as Telegram shows."""
    text, spans = body.text[cut[0] : cut[1]], tuple(_within(body.spans, cut))[:_MOST_ENTITIES]
    block = any(s.start == 0 and s.style in _BLOCKS for s in spans)
    ahead = f"{opening}\n" if opening and block else f"{opening} " if opening else ""
    shown = sorted(_trimmed(text, _apart(spans)), key=lambda span: (span.start, -span.end))
    entities = (_entity(ahead, text, span) for span in shown[:_MOST_ENTITIES])
    return Part(f"{ahead}{text}".rstrip(), tuple(entities))


def _apart(spans: Sequence[Span]) -> Iterator[Span]:
    """Yield the spans as Telegram nests them: no code in links, no emphasis on code, none of it twice."""
    links = _union(spans, [Style.LINK])
    code = _union((s for s in spans if s.style in _CODE and not _lies_in(s, links)), _CODE)
    for span in spans:
        if span.style in (Style.LINK, Style.QUOTE) or (span.style in _CODE and not _lies_in(span, links)):
            yield span
    for style in _EMPHASIS:
        for cut in _union(spans, [style]):
            yield from (Span(style, start, end) for start, end in _outside(cut, code))


def _lies_in(span: Span, cuts: Sequence[Cut]) -> bool:
    return any(start <= span.start and span.end <= end for start, end in cuts)


def _outside(cut: Cut, code: Sequence[Cut]) -> Iterator[Cut]:
    start, end = cut
    for begin, close in code:
        if start < close and begin < end:
            if start < begin:
                yield start, begin
            start = close
    if start < end:
        yield start, end


def _trimmed(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans without outer blanks, which Telegram strips itself; code lines keep leading blanks."""
    for span in spans:
        shown = text[span.start : span.end]
        lead = len(shown) - len(shown.lstrip()) if span.style is not Style.PRE else 0
        end = span.start + len(shown.rstrip())
        if span.start + lead < end:
            yield Span(span.style, span.start + lead, end, span.value)


def _entity(ahead: str, text: str, span: Span) -> MessageEntity:
    return MessageEntity(
        _TYPES[span.style],
        offset=units(ahead) + units(text[: span.start]),
        length=units(text[span.start : span.end]),
        url=span.value if span.style is Style.LINK else None,
        language=span.value if span.style is Style.PRE else None,
    )
