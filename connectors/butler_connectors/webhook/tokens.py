"""Who may post: named bearer tokens (interfaces: HTTP). Pure.

Invariant: tokens are compared in constant time, and no error text holds one.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from typing import Final

__all__ = ["DEFAULT_NAME", "name_of", "parse_tokens"]

DEFAULT_NAME: Final = "default"
TOKEN_MIN_CHARS: Final = 16
_NAMED: Final = re.compile(r"([a-z][a-z0-9_-]{0,62})=(\S+)")


def parse_tokens(value: str) -> Mapping[str, str]:
    """`name=token` entries, by commas or lines; a single entry may leave out the name. `ValueError` otherwise."""
    entries = [entry.strip() for entry in re.split(r"[,\n]", value) if entry.strip()]
    found: dict[str, str] = {}
    for entry in entries:
        named = _NAMED.fullmatch(entry)
        if named is not None and len(named[2]) >= TOKEN_MIN_CHARS:
            name, token = named[1], named[2]
        elif len(entries) == 1:
            name, token = DEFAULT_NAME, entry
        else:
            raise ValueError(
                f"several tokens need names: name=token, each of {TOKEN_MIN_CHARS} characters or more"
            )
        if len(token) < TOKEN_MIN_CHARS or not token.isascii():
            raise ValueError(f"a token has at least {TOKEN_MIN_CHARS} ASCII characters")
        if name in found or token in found.values():
            raise ValueError("a name or a token is there twice")
        found[name] = token
    if not found:
        raise ValueError("expected at least one token")
    return found


def name_of(authorization: str, tokens: Mapping[str, str]) -> str | None:
    """The name of the submitter whose token this `Authorization` header shows, or None."""
    scheme, _, shown = authorization.partition(" ")
    if scheme.lower() != "bearer":
        return None
    given = shown.strip().encode("utf-8", "replace")
    matches = [name for name, token in tokens.items() if hmac.compare_digest(given, token.encode())]
    return matches[0] if matches else None
