"""Files that go out with a message: references to objects that Messenger fetches when it delivers (ADR 0103). Pure.

Invariants: what is sent is what the digest says or it is not sent; a name is one that a person can read and that no
program takes for a path or for a header; together they are at most `TOGETHER_MAX` bytes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from butler_contracts.base import StrictModel, rule_broken
from butler_contracts.text import STORABLE

__all__ = [
    "ATTACHMENTS_MAX",
    "NAME_MAX",
    "TOGETHER_MAX",
    "AttachmentV1",
    "is_within",
    "shown",
    "together",
    "without_addresses",
]

ATTACHMENTS_MAX: Final = 10
TOGETHER_MAX: Final = 20_000_000
"""Bytes of all files of a message: with base64 around them the largest mail that most servers take."""
NAME_MAX: Final = 120
URI_MAX: Final = 2_048

_URI: Final = re.compile(r"https?://[A-Za-z0-9.:\[\]-]{1,260}(?:/[!-~]*)?")
"""As `urlsplit` reads it and every client after it: printable ASCII, and nobody's name or password in it."""
_NOT_IN_URI: Final = frozenset('"<>\\^`{|}#')
_DOTS: Final = frozenset({".", ".."})
_ENCODED: Final = re.compile(r"%2e", re.IGNORECASE)
_HIDDEN_SLASH: Final = re.compile(r"%(?:2f|5c|00)", re.IGNORECASE)
_NOT_IN_NAME: Final = frozenset("/\\")
_JOINERS: Final = frozenset("\u200c\u200d")
"""Are not printed, and are part of words (Persian) and of emoji."""


def _check_uri(value: str) -> str:
    if _URI.fullmatch(value) is None or not _NOT_IN_URI.isdisjoint(value):
        raise rule_broken("", "is not the address of an object", "http:// or https://, a host and a path")
    try:
        parts = urlsplit(value)
        port_is_one = parts.port != 0
    except ValueError:
        port_is_one = False
    if not port_is_one or not parts.hostname:
        raise rule_broken("", "has no host, or a port that is none", "https://files.example.org/a/bill.pdf")
    steps = _ENCODED.sub(".", parts.path).split("/")
    if not _DOTS.isdisjoint(steps) or _HIDDEN_SLASH.search(parts.path):
        raise rule_broken("", "leaves its folder (a step of dots, or a hidden slash)", "the plain path")
    return value


def _check_name(value: str) -> str:
    if not _NOT_IN_NAME.isdisjoint(value) or value in _DOTS:
        raise rule_broken("", "is a path", "the name of a file alone")
    wrong = next((char for char in value if not (char.isprintable() or char in _JOINERS)), None)
    if wrong is not None:
        problem = f"has a character that is not shown, or turns the direction (U+{ord(wrong):04X})"
        raise rule_broken("", problem, "one line of visible characters")
    if value != value.strip() or value.startswith(".") or value.endswith("."):
        raise rule_broken("", "begins or ends with a blank or a dot", "a name such as bill.pdf")
    return value


class AttachmentV1(StrictModel):
    """One file: where it is, what it has to be, and what a person reads as its name.

    `uri` may be one that is signed and so a secret of its own; it is in no log, error, list or preview.
    """

    uri: Annotated[str, Field(min_length=1, max_length=URI_MAX), STORABLE, AfterValidator(_check_uri)]
    digest: Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
    size_bytes: Annotated[int, Field(ge=1, le=TOGETHER_MAX)]
    media_type: Annotated[
        str, Field(max_length=127, pattern=r"^[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+$")
    ]
    name: Annotated[str, Field(min_length=1, max_length=NAME_MAX), STORABLE, AfterValidator(_check_name)]


def together(attachments: Sequence[AttachmentV1]) -> int:
    """Bytes of all of them."""
    return sum(one.size_bytes for one in attachments)


def is_within(uri: str, origin: str) -> bool:
    """Whether an object is below an origin: the same scheme, host and port, and the origin's folder."""
    one, other = urlsplit(uri), urlsplit(origin)
    folder = other.path if other.path.endswith("/") else f"{other.path}/"
    return (
        (one.scheme, one.hostname, _port(uri)) == (other.scheme, other.hostname, _port(origin))
        and (one.path or "/").startswith(folder)
    )  # fmt: skip


def shown(attachment: Mapping[str, Any]) -> dict[str, Any]:
    """A stored attachment as people see it: all but the address, of which only the server is named."""
    kept = {name: attachment[name] for name in ("name", "size_bytes", "media_type", "digest")}
    return {**kept, "from": urlsplit(attachment["uri"]).hostname or ""}


def without_addresses(envelope: Mapping[str, Any]) -> dict[str, Any]:
    """A stored `notify.v1` as people see it."""
    delivery = dict(envelope["delivery"])
    if delivery.get("attachments"):
        delivery["attachments"] = [shown(one) for one in delivery["attachments"]]
    return {**envelope, "delivery": delivery}


def _port(address: str) -> int:
    parts = urlsplit(address)
    return parts.port or (443 if parts.scheme == "https" else 80)
