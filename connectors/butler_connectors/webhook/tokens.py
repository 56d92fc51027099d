"""The named bearer tokens that may post, each until its `expires_at` (interfaces: HTTP; CNX-16.2, D81). Pure.

Invariant: tokens are compared in constant time, and no error text holds one.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

__all__ = ["DEFAULT_NAME", "Submitter", "parse_tokens", "submitter_with"]

DEFAULT_NAME: Final = "default"
TOKEN_MIN_CHARS: Final = 16
WARN_BEFORE: Final = timedelta(days=18)
"""The last fifth of the ninety days, the longest life of a token in production."""
_NAMED: Final = re.compile(r"([a-z][a-z0-9_-]{0,62})=(\S+)")
_END: Final = ";expires_at="


@dataclass(frozen=True, slots=True)
class Submitter:
    """Somebody who may post; without `expires_at`, as long as the token is in the list."""

    name: str
    token: str = field(repr=False)
    expires_at: datetime | None = None

    def has_ended(self, now: datetime) -> bool:
        """Return whether the token has expired."""
        return self.expires_at is not None and now >= self.expires_at

    def ends_soon(self, now: datetime) -> bool:
        """Return whether a new token should be made."""
        return self.expires_at is not None and now >= self.expires_at - WARN_BEFORE


def parse_tokens(value: str) -> tuple[Submitter, ...]:
    """Parse `name=token` entries, separated by commas or lines; a single one may omit the name. Raises `ValueError`.

    `;expires_at=2027-01-31`, or a full timestamp, after a token says when it expires; a day means its start, in UTC.
    A name may have two tokens while one replaces the other.
    """
    entries = [entry.strip() for entry in re.split(r"[,\n]", value) if entry.strip()]
    found = tuple(_submitter(entry, alone=len(entries) == 1) for entry in entries)
    if not found:
        raise ValueError("expected at least one token")
    if len({one.token for one in found}) < len(found):
        raise ValueError("a token is there twice")
    return found


def submitter_with(authorization: str, submitters: Iterable[Submitter]) -> Submitter | None:
    """Return the submitter whose token is in this `Authorization` header, expired or not; else None."""
    scheme, _, shown = authorization.partition(" ")
    if scheme.lower() != "bearer":
        return None
    given = shown.strip().encode("utf-8", "replace")
    matches = [one for one in submitters if hmac.compare_digest(given, one.token.encode())]
    return matches[0] if matches else None


def _submitter(entry: str, *, alone: bool) -> Submitter:
    secret, _, end = entry.partition(_END)
    named = _NAMED.fullmatch(secret)
    if named is not None and len(named[2]) >= TOKEN_MIN_CHARS:
        name, token = named[1], named[2]
    elif alone:
        name, token = DEFAULT_NAME, secret
    else:
        raise ValueError(
            f"several tokens need names: name=token, each of {TOKEN_MIN_CHARS} characters or more"
        )
    if len(token) < TOKEN_MIN_CHARS or not token.isascii():
        raise ValueError(f"a token has at least {TOKEN_MIN_CHARS} ASCII characters")
    return Submitter(name, token, _moment(name, end) if _END in entry else None)


def _moment(name: str, text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(
            f"expires_at of '{name}': expected a day or a moment such as 2027-01-31T12:00:00Z"
        ) from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
