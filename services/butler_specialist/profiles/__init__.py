"""The profiles that a specialist can have, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from butler_specialist.profiles.finance.profile import FinanceProfile
from butler_specialist.profiles.general.profile import GeneralProfile
from butler_specialist.profiles.health.profile import HealthProfile
from butler_specialist.profiles.own import OwnProfile
from butler_specialist.profiles.profile import Profile
from butler_specialist.profiles.relationship.profile import RelationshipProfile
from butler_specialist.profiles.travel.profile import TravelProfile

__all__ = ["PROFILES", "kinds_of", "load_profile"]

_KNOWN: Final[tuple[type[Profile], ...]] = (
    GeneralProfile,
    RelationshipProfile,
    HealthProfile,
    FinanceProfile,
    TravelProfile,
)
PROFILES: Final[Mapping[str, type[Profile]]] = MappingProxyType({kind.name: kind for kind in _KNOWN})


def kinds_of(name: str | None) -> tuple[str, ...]:
    """Return the kinds that a profile keeps, or a butler with only instructions.

    Empty for an unknown name.
    """
    profile = OwnProfile if name is None else PROFILES.get(name)
    return profile.kept if profile is not None else ()


def load_profile(name: str | None, *, instructions: str | None = None) -> Profile:
    """Return the profile with its prompt, or that of a butler with only `instructions`.

    Raises `KeyError` for an unknown name (settings check it first).
    """
    return OwnProfile(instructions) if name is None and instructions is not None else PROFILES[name or ""]()
