"""PURE: web addresses in a text, which are never marked up within."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["address_at", "between_addresses"]

_SCHEME: Final = re.compile(r"(?<![A-Za-z0-9])https?\Z", re.IGNORECASE)
_LONGEST_SCHEME: Final = len("xhttps")
_REST: Final = re.compile(r"://[^\s<>\[\]\"“”`\\]++")
_AFTER: Final = "*_~.,;:!?'’"


def address_at(text: str, colon: int, end: int) -> str:
    """Return what follows the scheme of the address with this colon, up to `end`; empty if there is none."""
    found = _REST.match(text, colon, end)
    if found is None or _SCHEME.search(text[max(0, colon - _LONGEST_SCHEME) : colon]) is None:
        return ""
    return _trimmed(found[0])


def between_addresses(text: str) -> list[tuple[str, str]]:
    """Return the text as pairs: text outside addresses, then the rest of an address (see `address_at`)."""
    pairs, start, colon = [], 0, text.find("://")
    while colon >= 0:
        rest = address_at(text, colon, len(text))
        if rest:
            pairs.append((text[start:colon], rest))
            start = colon + len(rest)
        colon = text.find("://", max(start, colon + 1))
    return [*pairs, (text[start:], "")]


def _trimmed(address: str) -> str:
    """Strip what ends the sentence, or the markup, around an address."""
    end, closing = len(address), address.count(")") - address.count("(")
    while end > len("://"):
        if address[end - 1] == ")" and closing > 0:
            closing -= 1
        elif address[end - 1] not in _AFTER:
            break
        end -= 1
    return address[:end]
