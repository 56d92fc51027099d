# ruff: noqa: E501 - patterns, word lists and sample texts stay on one line
"""The parts of a text that its sender wrote for this message, without quotes and signatures (pure).

Invariant: the result is ascending, disjoint ranges inside the text; if nothing would be left, it is the whole text,
so that a message is never judged as empty. A forwarded part is content, not a quote: that is why it was sent. Only
mails are signed at length: elsewhere a line of dashes divides, and after "Thanks!" at most a name is left out.
"""

from __future__ import annotations

import re

__all__ = ["is_contact", "is_wordless", "own_ranges"]

_QUOTE = re.compile(r"\s*>")
_REPLY_HEADER = re.compile(
    r"^\s*(?:On .{4,120} wrote:|Am .{4,120} schrieb.{0,80}:|Le .{4,120} a écrit ?:|El .{4,120} escribió:|-{2,} ?Original.{0,40}-{2,})\s*$"
)
_FORWARD = re.compile(
    r"^\s*-{2,} ?(?:Forwarded message|Weitergeleitete Nachricht|Message transféré)|^\s*(?:Fwd?|WG|TR):",
    re.IGNORECASE,
)
_SIGNATURE_LINE = re.compile(r"^-- ?$|^_{8,}$")
_SIGNATURE = re.compile(r"^Sent from my |^Von meinem .{2,40} gesendet|^Envoyé de mon |^Enviado desde mi ")
_CLOSING = re.compile(
    r"^(?:(?:kind|best|warm|many)? ?(?:regards|wishes)|yours (?:faithfully|sincerely|truly)|sincerely|cheers|thanks|thank you|love|hugs"
    r"|(?:mit )?(?:freundlichen|herzlichen|besten|liebe|viele|beste) gr[üu](?:ß|ss)en?|cordialement|bien à vous|saludos|un saludo|atentamente)[,.! ]*$",
    re.IGNORECASE,
)
_POSTSCRIPT = re.compile(
    r"\s*(?:p\.? ?s\b|p\.? ?d\.?:|nb\b|oh\b|also\b|btw\b|by the way\b|one more\b|ach\b|übrigens\b|außerdem\b|noch was\b|au fait\b|ah y\b|además\b|por cierto\b)",
    re.IGNORECASE,
)
_NAME_WORDS = 2
_DESCRIPTOR = re.compile(
    r"\[(?:photo|sticker|voice message|video(?: note| message)?|animation|audio|document|file|location|place|contact|poll|dice|a message without text)\b[^\[\]\n]{0,300}\]"
)
"""The descriptor that a connector writes for content without words (D14)."""
_CONTACT = re.compile(r"\s*\[contact [^\[\]\n]{1,300}[\d)]\]\s*")
"""A shared contact with its number."""
_LEFT_MIN = 12


def is_wordless(text: str) -> bool:
    """Return whether a text is only descriptors of pictures, voices and the like: no subject to judge."""
    bare = _DESCRIPTOR.sub("", text)
    return bare != text and not any(character.isalnum() for character in bare)


def is_contact(text: str) -> bool:
    """Return whether a text is nothing but a contact that somebody shared, with a number."""
    return _CONTACT.fullmatch(text) is not None


def own_ranges(text: str, *, subject: str | None = None, mail: bool = True) -> tuple[tuple[int, int], ...]:
    """Return the character ranges of the sender's own lines, without line ends; `mail` if it may be signed as one."""
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
        ended = ended or _is_end(line, mail=mail) or (not forwarded and _REPLY_HEADER.match(line) is not None)
        if ended:
            continue
        if _QUOTE.match(line) and not forwarded:
            continue
        closing = _CLOSING.match(line.strip()) is not None or (closing and _may_sign(line, mail=mail))
        if line.strip() and not closing:
            kept.append((start, end))
    if sum(end - start for start, end in kept) < min(_LEFT_MIN, len(text.strip())):
        return ((0, len(text)),) if text else ()
    return tuple(kept)


def _is_end(line: str, *, mail: bool) -> bool:
    """Return whether nothing of the sender's follows."""
    return _SIGNATURE.match(line) is not None or (mail and _SIGNATURE_LINE.match(line) is not None)


def _may_sign(line: str, *, mail: bool) -> bool:
    """Return whether a line after a closing belongs to the signature: in a mail whatever is no postscript."""
    return _POSTSCRIPT.match(line) is None and (mail or len(line.split()) <= _NAME_WORDS)
