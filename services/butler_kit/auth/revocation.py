"""The deny list: tokens by id, and subjects with the moment before which tokens are void (CNX-16.2)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

__all__ = ["DenyList", "parse_deny_list", "write_deny_list"]


@dataclass(frozen=True, slots=True)
class DenyList:
    """File form: `{"tokens": ["JTI", …], "subjects": {"SUB": "RFC 3339 moment", …}}`."""

    tokens: frozenset[str] = frozenset()
    subjects: Mapping[str, datetime] = field(default_factory=dict)

    def denies(self, *, token_id: str, subject: str, issued_at: datetime) -> bool:
        """Say whether a token is revoked, by its id or because its subject's older tokens are."""
        before = self.subjects.get(subject)
        return token_id in self.tokens or (before is not None and issued_at < before)


def parse_deny_list(content: bytes) -> DenyList:
    """Read a deny list; `ValueError` for anything else, so that a typo never un-revokes a token."""
    try:
        document: Any = json.loads(content)
    except (ValueError, RecursionError):
        raise ValueError("is not JSON") from None
    if not isinstance(document, dict) or set(document) - {"tokens", "subjects"}:
        raise ValueError("is not a deny list with tokens and subjects")
    tokens, subjects = document.get("tokens", []), document.get("subjects", {})
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        raise ValueError("has tokens that are not a list of token ids")
    if not isinstance(subjects, dict):
        raise ValueError("has subjects that are not a table of moments")
    return DenyList(frozenset(tokens), {subject: _moment(text) for subject, text in subjects.items()})


def write_deny_list(path: Path, denied: DenyList) -> None:
    """Replace the deny list in one step."""
    subjects = {subject: moment.isoformat() for subject, moment in denied.subjects.items()}
    document = {"tokens": sorted(denied.tokens), "subjects": subjects}
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    beside.replace(path)


def _moment(text: Any) -> datetime:
    moment = datetime.fromisoformat(text) if isinstance(text, str) else None
    if moment is None or moment.tzinfo is None:
        raise ValueError("has a subject whose moment is not RFC 3339 with a zone")
    return moment
