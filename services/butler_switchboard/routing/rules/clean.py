# ruff: noqa: E501 - patterns, word lists and sample texts stay on one line
"""The parts of a text that its sender wrote for this message, without quotes and signatures (pure).

Invariant: the result is ascending, disjoint ranges inside the text; if nothing would be left, it is the whole text,
so that a message is never judged as empty. A forwarded part is content, not a quote: that is why it was sent.
"""

from __future__ import annotations

import re

__all__ = ["is_wordless", "own_ranges"]

_QUOTE = re.compile(r"\s*>")
_REPLY_HEADER = re.compile(
    r"^\s*(?:On .{4,120} wrote:|Am .{4,120} schrieb.{0,80}:|Le .{4,120} a écrit ?:|El .{4,120} escribió:|-{2,} ?Original.{0,40}-{2,})\s*$"
)
_FORWARD = re.compile(
    r"^\s*-{2,} ?(?:Forwarded message|Weitergeleitete Nachricht|Message transféré)|^\s*(?:Fwd?|WG|TR):",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(
    r"^-- ?$|^_{8,}$|^Sent from my |^Von meinem .{2,40} gesendet|^Envoyé de mon |^Enviado desde mi "
)
_CLOSING = re.compile(
    r"^(?:(?:kind|best|warm|many)? ?(?:regards|wishes)|yours (?:faithfully|sincerely|truly)|sincerely|cheers|thanks|thank you|love|hugs"
    r"|(?:mit )?(?:freundlichen|herzlichen|besten|liebe|viele|beste) gr[üu](?:ß|ss)en?|cordialement|bien à vous|saludos|un saludo|atentamente)[,.! ]*$",
    re.IGNORECASE,
)
_DESCRIPTOR = re.compile(
    r"\[(?:photo|sticker|voice message|video(?: note| message)?|animation|audio|document|file|location|place|contact|poll|dice|a message without text)\b[^\[\]\n]{0,300}\]"
)
"""The descriptor that a connector writes for content without words (D14)."""
_LEFT_MIN = 12


def is_wordless(text: str) -> bool:
    """Return whether a text is only descriptors of pictures, voices and the like: no subject to judge."""
    bare = _DESCRIPTOR.sub("", text)
    return bare != text and not any(character.isalnum() for character in bare)


def own_ranges(text: str, *, subject: str | None = None) -> tuple[tuple[int, int], ...]:
    """Return the character ranges of the sender's own lines, without line ends."""
    forwarded = _FORWARD.match(subject or "") is not None or any(
        _FORWARD.match(line) for line in text.splitlines()[:40]
    )
    kept: list[tuple[int, int]] = []
    position = 0
    closing = ended = False
    for line in text.split("\n"):
        start, end = position, position + len(line)
        position = end + 1
        if _FORWARD.match(line):  # the sender signed above it; what follows is somebody else's
            closing = ended = False
        ended = ended or bool(_SIGNATURE.match(line) or (not forwarded and _REPLY_HEADER.match(line)))
        if ended:
            continue
        if _QUOTE.match(line) and not forwarded:
            continue
        if closing and len(line) < 60:
            continue
        closing = closing or _CLOSING.match(line.strip()) is not None
        if line.strip() and not closing:
            kept.append((start, end))
    if sum(end - start for start, end in kept) < min(_LEFT_MIN, len(text.strip())):
        return ((0, len(text)),) if text else ()
    return tuple(kept)
