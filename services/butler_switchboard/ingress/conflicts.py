"""Whether two mails with one Message-ID are one mail, read twice, or two (pure; SWB-12.2, D7).

A repeat is recognised by its Message-ID. Some senders give every mail the same one; such mails are told apart by
their content, so that none is lost. A mail that another version of a connector reads again may have another text and
is still the same: then the header fields that its sender wrote decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["content_mark", "is_another_mail"]

DIGEST: Final = "content_digest"
"""The key in `payload.raw` for a connector's digest of the mail's body."""
_FIELDS: Final = ("date", "subject", "from")


def is_another_mail(known: Mapping[str, Any], arrived: Mapping[str, Any]) -> bool:
    """Return whether two `ingest.v1` documents of one Message-ID, with other fingerprints, are two mails."""
    ours, theirs = _raw(known), _raw(arrived)
    digests = ours.get(DIGEST), theirs.get(DIGEST)
    if all(digests):
        return digests[0] != digests[1]
    if not any(digests) and ours and theirs:
        return True
    before, now = _header(ours), _header(theirs)
    return any(before[name] != now[name] for name in _FIELDS if name in before and name in now)


def content_mark(arrived: Mapping[str, Any], fingerprint: str) -> str:
    """Return the mark by which a second mail of one Message-ID is recognised when it is read again."""
    digest = _raw(arrived).get(DIGEST)
    return (digest if isinstance(digest, str) and digest else fingerprint)[:16]


def _raw(document: Mapping[str, Any]) -> Mapping[str, Any]:
    raw = document["payload"].get("raw")
    return raw if isinstance(raw, Mapping) else {}


def _header(raw: Mapping[str, Any]) -> dict[str, Any]:
    headers = raw.get("headers")
    return (
        {str(name).lower(): lines for name, lines in headers.items()} if isinstance(headers, Mapping) else {}
    )
