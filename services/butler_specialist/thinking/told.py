"""The settings of a specialist's sessions, and the history that a model gets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from butler_kit.db import Pool
from butler_kit.runtime.budget import Terms
from butler_kit.runtime.history import Bounds
from butler_specialist.profiles.profile import Profile
from butler_specialist.settings import SpecialistConfig
from butler_specialist.thinking.prompt import prompt_version
from butler_specialist.thinking.threads import Threads, share_of
from butler_specialist.work.session import SessionSettings

__all__ = ["session_settings", "threads_of"]


def session_settings(config: SpecialistConfig, profile: Profile, told: Mapping[str, Any]) -> SessionSettings:
    """Return the session settings; `told` are a model's extra instructions.

    Rules have their profile's version.
    """
    runtime = config.runtime
    thinks = runtime.family != "rules"
    return SessionSettings(
        config.butler.name,
        runtime.asked_model,
        runtime.timeout_s,
        prompt_version(profile, **told) if thinks else profile.prompt_version,
        prompt_version(profile, **told, task=True),
    )


def threads_of(pool: Pool, config: SpecialistConfig, asks: Callable[[], bool]) -> Threads | None:
    """Return the history reader of a model that is used, unless the manifest gives it none."""
    runtime, given = config.runtime, config.runtime.history
    if not runtime.asks_a_model or given.tokens == 0:
        return None
    bounds = Bounds(given.messages, given.minutes, given.tokens)
    return Threads(pool, bounds, most=share_of(Terms.of(config.budget, runtime)), wanted=asks)
