"""PURE: remove secrets from what leaves the cluster in a support bundle.

Invariant: anything that looks like a token, a password or a key goes, whatever it is called; names and shapes stay.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["HIDDEN", "redacted", "redacted_text"]

HIDDEN: Final = "[hidden]"
_NAME: Final = re.compile(r"token|secret|passw|credential|api[-_]?key|private|authorization|cookie", re.I)
_NOT_SECRET: Final = re.compile(r"(ref|name|namespace|file|path|mount\w*)$", re.I)
_TEXTS: Final = (
    (re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.S), HIDDEN),
    (re.compile(r"\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*"), HIDDEN),
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{6,}"), rf"\1 {HIDDEN}"),
    (re.compile(r"\b\d{5,}:[A-Za-z0-9_-]{20,}"), HIDDEN),
    (re.compile(r"(\b[a-z][a-z0-9+.-]*://[^\s:/@]*):[^\s/@]+@", re.I), rf"\1:{HIDDEN}@"),
    (re.compile(r"(?i)((?:token|secret|password|passwd|api[-_]?key)[\"']?\s*[=:]\s*[\"']?)(?!\[hidden\])[^\s\"',;}&]+"),
     rf"\1{HIDDEN}"),
)  # fmt: skip
_DROPPED: Final = frozenset({"managedFields", "kubectl.kubernetes.io/last-applied-configuration"})


def redacted_text(text: str) -> str:
    """Return the text with each secret in it replaced."""
    for pattern, instead in _TEXTS:
        text = pattern.sub(instead, text)
    return text


def redacted(value: Any) -> Any:
    """Return a document of the cluster without secrets; of a Secret only the names of its keys stay."""
    if isinstance(value, Mapping):
        return _object(value)
    if isinstance(value, list | tuple):
        return [redacted(one) for one in value]
    return redacted_text(value) if isinstance(value, str) else value


def _object(value: Mapping[str, Any]) -> dict[str, Any]:
    if value.get("kind") == "Secret":
        data = {key: HIDDEN for part in ("data", "stringData") for key in value.get(part) or {}}
        return {**redacted({key: one for key, one in value.items() if key not in ("kind", "data", "stringData")}),
                "kind": "Secret", "data": data}  # fmt: skip
    kept = {key: one for key, one in value.items() if key not in _DROPPED}
    named = kept.get("name")
    if isinstance(named, str) and isinstance(kept.get("value"), str) and _NAME.search(named):
        kept["value"] = HIDDEN
    return {key: HIDDEN if _secret(key, one) else redacted(one) for key, one in kept.items()}


def _secret(key: str, value: Any) -> bool:
    return isinstance(value, str) and bool(_NAME.search(key)) and not _NOT_SECRET.search(key)
