"""The administrator's URL and the butlers' URLs derived from it: same server, database and TLS, another user.

Pure. URLs are as CloudNativePG, managed databases and the chart write them: `postgresql://user:password@host…`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from butler_contracts.errors import ValidationFailed

__all__ = ["AdminUrl", "parse_admin_url", "with_authority"]

_VERIFIED = ("verify-ca", "verify-full")
_FORM = "expected postgresql://user:password@host:5432/database"


@dataclass(frozen=True, slots=True)
class AdminUrl:
    """`text` is the whole URL, `server` its hosts and database for people: neither user nor password."""

    text: str = field(repr=False)
    password: str = field(repr=False)
    server: str

    def as_role(self, role: str, password: str) -> str:
        """Return the URL of the same database for another user."""
        parts = urlsplit(self.text)
        hosts = parts.netloc.rpartition("@")[2]
        query = [pair for pair in parse_qsl(parts.query) if pair[0] not in ("user", "password")]
        netloc = f"{quote(role, safe='')}:{quote(password, safe='')}@{hosts}"
        return urlunsplit(parts._replace(netloc=netloc, query=urlencode(query)))


def with_authority(url: str, ca_file: str | None) -> str:
    """Return `url` with the household's authorities if it asks for a verified server and names none."""
    parts = urlsplit(url.strip())
    query = dict(parse_qsl(parts.query))
    if ca_file is None or query.get("sslmode") not in _VERIFIED or "sslrootcert" in query:
        return url
    return urlunsplit(parts._replace(query=f"{parts.query}&sslrootcert={quote(ca_file, safe='/')}"))


def parse_admin_url(text: str) -> AdminUrl:
    """Read a URL; `ValidationFailed` says what is missing without repeating any of it."""
    url = text.strip()
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ValidationFailed(f"the administrator's URL cannot be read; {_FORM}") from None
    if parts.scheme not in ("postgresql", "postgres"):
        raise ValidationFailed(f"the administrator's URL is not one of PostgreSQL; {_FORM}")
    userinfo, _, hosts = parts.netloc.rpartition("@")
    query = dict(parse_qsl(parts.query))
    password = unquote(userinfo.partition(":")[2]) or query.get("password", "")
    if not password:
        raise ValidationFailed(
            f"the administrator's URL has no password, and the butlers' passwords are made from it; {_FORM}"
        )
    return AdminUrl(text=url, password=password, server=f"{hosts or query.get('host', '?')}{parts.path}")
