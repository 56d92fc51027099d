"""Joining several texts, each meaning what it means alone (docs/adr/0102)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from butler_contracts.notify import Format
from butler_kit.markup.escaping import escaped
from butler_kit.markup.reading import read

__all__ = ["BETWEEN", "Words", "said", "said_by", "together"]

BETWEEN: Final = "\n\n"


class Words(NamedTuple):
    """A text as it is sent: plain, or Markdown."""

    text: str
    format: Format = "plain"


def said(text: str, format: str | None) -> str:
    """Return the text as a person reads it without styles; a text without a format is plain."""
    return read(text).plain if format == "markdown" else text


def said_by(delivery: Mapping[str, Any]) -> str:
    """Return what a person reads of a stored delivery of `notify.v1`; empty where it has no message."""
    return said(delivery.get("message") or "", delivery.get("format"))


def together(parts: Sequence[Words]) -> Words:
    """Join the parts with an empty line between them.

    The result is Markdown if one of them is and each still means what it means alone: code without an end would take
    in the next part. Otherwise all of it is plain.
    """
    plain = BETWEEN.join(said(*part) for part in parts)
    if all(part.format == "plain" for part in parts):
        return Words(plain)
    marked = BETWEEN.join(text if format == "markdown" else escaped(text) for text, format in parts)
    return Words(marked, "markdown") if read(marked).plain == plain else Words(plain)
