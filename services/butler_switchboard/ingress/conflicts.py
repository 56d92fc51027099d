"""Whether two mails of one Message-ID are one mail, read twice, or two (pure; SWB-12.2, D7).

Message-ID is what a repeat is known by. Some senders give every mail the same one; such mails are told apart by their
content, so that none is lost. A mail that is read anew by another version of a connector may have another text and is
still the same: then what its sender wrote into its header decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["content_mark", "is_another_mail"]

DIGEST: Final = "content_digest"
"""Where a connector says in `payload.raw` what bytes the mail's body has."""
_FIELDS: Final = ("date", "subject", "from")


def is_another_mail(known: Mapping[str, Any], arrived: Mapping[str, Any]) -> bool:
    """Two `ingest.v1` documents of one Message-ID whose fingerprints differ: are they different mails?"""
    ours, theirs = _raw(known), _raw(arrived)
    digests = ours.get(DIGEST), theirs.get(DIGEST)
    if all(digests):
        return digests[0] != digests[1]
    if not any(digests) and ours and theirs:
        return True
    before, now = _header(ours), _header(theirs)
    return any(before[name] != now[name] for name in _FIELDS if name in before and name in now)


def content_mark(arrived: Mapping[str, Any], fingerprint: str) -> str:
    """What a second mail of one Message-ID is known by when it is read again."""
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
