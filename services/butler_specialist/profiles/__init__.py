"""The subjects that a specialist can be about, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from butler_specialist.profiles.general.profile import GeneralProfile
from butler_specialist.profiles.profile import Profile

__all__ = ["PROFILES", "load_profile"]

PROFILES: Final[Mapping[str, type[Profile]]] = MappingProxyType(
    {
        "general": GeneralProfile,
    }
)


def load_profile(name: str) -> Profile:
    """The profile with its prompt; `KeyError` for a name that is none (settings check it first)."""
    return PROFILES[name]()
