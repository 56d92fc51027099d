"""PURE: mail addresses as the wire and a comparison need them, also with umlauts (RFC 6531, RFC 5891).

Invariants: two spellings of one address are one text here: `Jörg@MÜLLER.example` and `jörg@xn--mller-kva.example`. A
letter that only looks like one of ASCII never becomes it: such an address stays another one.
"""

from __future__ import annotations

import unicodedata
from typing import Final

__all__ = ["comparable_address", "wire_address"]

_OTHER_DOTS: Final = frozenset("\u3002\uff0e\uff61")
"""Full stops of other scripts, which the encoding of domain names reads as the ASCII one."""


def wire_address(value: str) -> str:
    """The address with its domain in the letters of DNS; what is no domain name stays as it is."""
    name, at, domain = value.strip().strip("<>").strip().rpartition("@")
    if not at or domain.isascii():
        return f"{_composed(name)}{at}{domain}" if at else domain
    return f"{_composed(name)}@{_ascii(domain)}"


def comparable_address(value: str) -> str:
    """The form in which addresses are stored and compared: `wire_address` in lower case (D45)."""
    wire = wire_address(value)
    return wire if _looks_like_ascii(wire.lower(), wire) else wire.lower()


def _ascii(domain: str) -> str:
    import idna  # only those who write to such a domain pay for its tables

    lower = _composed(domain).lower()
    if _looks_like_ascii(lower, _composed(domain)) or _OTHER_DOTS & set(domain):
        return domain
    try:
        return idna.encode(lower).decode("ascii")
    except idna.IDNAError:
        return domain


def _composed(text: str) -> str:
    composed = unicodedata.normalize("NFC", text)
    return text if _looks_like_ascii(composed, text) else composed


def _looks_like_ascii(changed: str, text: str) -> bool:
    """Whether a change made letters of ASCII out of others, as that of the Kelvin sign does."""
    return sum(map(str.isascii, changed)) > sum(map(str.isascii, text))
