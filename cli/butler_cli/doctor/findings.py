"""A probe's findings (pure): weight, subject, what is wrong, what to do.

Invariant: no finding holds a secret; text from outside is one short line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from butler_contracts.text import plain_line

__all__ = ["Diagnosis", "Finding", "Weight", "finding"]

Weight = Literal["broken", "risk", "note"]
_ORDER: Final[tuple[Weight, ...]] = ("broken", "risk", "note")
_SAID: Final = {"broken": "wrong", "risk": "soon", "note": "note"}
_MOST_CHARS: Final = 400


@dataclass(frozen=True, slots=True)
class Finding:
    """`broken`: messages are not answered, or others may read secrets; `risk`: it may come to that."""

    weight: Weight
    about: str
    what: str
    do: str


def finding(weight: Weight, about: str, what: str, do: str) -> Finding:
    """Return a finding with each part on one line."""
    return Finding(weight, about, plain_line(what, most=_MOST_CHARS), plain_line(do, most=_MOST_CHARS))


@dataclass(frozen=True)
class Diagnosis:
    """All findings, what was looked at, and why anything was left out."""

    findings: tuple[Finding, ...]
    looked_at: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...] = ()

    @property
    def well(self) -> bool:
        """Whether nothing is broken."""
        return not any(one.weight == "broken" for one in self.findings)

    def ordered(self) -> list[Finding]:
        """Return the heaviest findings first; those of equal weight in the order in which they were found."""
        return sorted(self.findings, key=lambda one: _ORDER.index(one.weight))

    def document(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "well": self.well,
            "findings": [
                {"weight": one.weight, "about": one.about, "what": one.what, "do": one.do}
                for one in self.ordered()
            ],
            "looked_at": list(self.looked_at),
            "not_looked_at": dict(self.left_out),
        }

    def lines(self) -> Iterable[str]:
        """Yield the lines that a person reads."""
        yield _summary(self.findings, whole=not self.left_out)
        for one in self.ordered():
            yield f"  {_SAID[one.weight]:<6} {one.about}: {one.what}"
            yield f"         do: {one.do}"
        if self.looked_at:
            yield f"looked at: {', '.join(self.looked_at)}"
        for name, why in self.left_out:
            yield f"not looked at: {name}, {why}"


def _summary(findings: Sequence[Finding], *, whole: bool) -> str:
    broken, risks = (sum(1 for one in findings if one.weight == weight) for weight in ("broken", "risk"))
    if not broken and not risks:
        return "nothing is wrong" if whole else "nothing is wrong in what could be looked at"
    parts = [f"{broken} {'thing is' if broken == 1 else 'things are'} wrong"] if broken else []
    parts += [f"{risks} may become so"] if risks else []
    return ", ".join(parts)
