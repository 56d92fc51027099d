"""The labels of a mail: the server's flags and keywords, and Gmail's labels (RFC 9051, X-GM-EXT-1). Pure.

Invariant: bounded, without the flags that change when a mail is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from imapclient.imap_utf7 import decode

from butler_kit.sources.bounds import clip

__all__ = ["labels_of"]

_LABELS_MAX: Final = 50
_LABEL_CHARS: Final = 200
_NOT_LABELS: Final = frozenset({"\\Recent", "\\Seen"})


def labels_of(answer: Mapping[bytes, Any]) -> tuple[str, ...]:
    """Return the labels in a server's answer about one mail, each once, Gmail's first."""
    found = [_text(one) for name in (b"X-GM-LABELS", b"FLAGS") for one in _many(answer.get(name))]
    kept = [label for label in dict.fromkeys(found) if label and label not in _NOT_LABELS]
    return tuple(kept[:_LABELS_MAX])


def _many(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _text(label: Any) -> str:
    """Decode a label: Gmail writes them in modified UTF-7, like the names of mailboxes."""
    if not isinstance(label, bytes):
        return clip(str(label), _LABEL_CHARS, mark="…")
    try:
        text = decode(label)
    except (UnicodeError, ValueError):
        text = label.decode("utf-8", "replace")
    return clip(str(text), _LABEL_CHARS, mark="…")
