"""PURE: the verdict that a mail gives in words (docs/adr/0076).

Invariant: only a first line that is nothing but a yes or a no decides; any other text decides nothing.
"""

from __future__ import annotations

from typing import Final

from butler_contracts.actions import Verdict

__all__ = ["verdict_in"]

_VERDICTS: Final[dict[str, Verdict]] = {
    **dict.fromkeys(("yes", "ja", "oui", "sí", "si"), "approve"),
    **dict.fromkeys(("no", "nein", "non"), "deny"),
}
_AROUND: Final = " \t\u00a0.!,;\"'“”„«»*_"


def verdict_in(text: str) -> Verdict | None:
    """Return the verdict in the first line; None if it is not one, as no quoted line is."""
    first = text.strip().partition("\n")[0]
    return _VERDICTS.get(first.strip(_AROUND).casefold())
