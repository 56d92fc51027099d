"""The butlers as routing knows them when it decides (SWB-09.1, SWB-09.2).

Invariant: routing has no list of butlers of its own; a butler declared with nothing but a name and trigger text
takes part at once, and one that is not eligible is never chosen (SWB-10.4).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

__all__ = ["GENERAL", "ButlerProfile", "Presence", "RegistryView"]

GENERAL = "general"
"""The catch-all of SWB-03.3, for messages that are unsure, failed or nobody's."""


@dataclass(frozen=True, slots=True)
class ButlerProfile:
    """One registered butler as routing sees it; `eligible` is the registry's verdict, not routing's."""

    name: str
    description: str = ""
    triggers: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    eligible: bool = True
    required_information: tuple[str, ...] = ()
    barred_because: str = ""
    """Why it is not eligible, in words for a trace."""
    precedence: int = 0
    """Its arbitration priority, which decides between contradicting answers (SWB-29.1)."""


@dataclass(frozen=True, slots=True)
class Presence:
    """The signs that a butler's process is alive: how long it has been silent, when it last registered."""

    silent_s: float = 0.0
    ttl_s: float = 90.0
    registered_at: datetime | None = None

    @property
    def lost(self) -> bool:
        """Whether it has been silent for more than twice the lifetime of a sign of life (D17)."""
        return self.silent_s > 2 * self.ttl_s

    def works_on(self, since: datetime) -> bool:
        """Return whether work begun at `since` seems to be under way: the process is alive, not restarted."""
        begun_anew = self.registered_at is not None and self.registered_at > since
        return self.silent_s <= self.ttl_s and not begun_anew


@dataclass(frozen=True, slots=True)
class RegistryView:
    """The registered specialists, sorted by name."""

    butlers: tuple[ButlerProfile, ...]

    @classmethod
    def of(cls, butlers: Iterable[ButlerProfile]) -> RegistryView:
        """Return a view of `butlers`, sorted so that equal registries decide equally."""
        return cls(butlers=tuple(sorted(butlers, key=lambda butler: butler.name)))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all registered butlers."""
        return tuple(butler.name for butler in self.butlers)

    def get(self, name: str) -> ButlerProfile | None:
        """Return the butler of that name, or None."""
        return next((butler for butler in self.butlers if butler.name == name), None)

    def eligible(self, name: str) -> bool:
        """Return whether that butler is registered and may be chosen."""
        butler = self.get(name)
        return butler is not None and butler.eligible

    def precedence(self, name: str) -> int:
        """Return that butler's arbitration priority; 0 if it is not registered."""
        butler = self.get(name)
        return butler.precedence if butler is not None else 0

    def barred(self, name: str) -> str:
        """Return the name of a butler that may not be chosen, with the reason if it is known."""
        butler = self.get(name)
        because = butler.barred_because if butler is not None else ""
        return f"{name} ({because})" if because else name
