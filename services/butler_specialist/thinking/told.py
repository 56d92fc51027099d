"""What the sessions of a specialist are set to, and which history a model among them is given."""

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
    """`told` is what a model is told besides; rules have the version of their profile."""
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
    """For a model that is asked, unless the manifest gives it none."""
    runtime, given = config.runtime, config.runtime.history
    if not runtime.asks_a_model or given.tokens == 0:
        return None
    bounds = Bounds(given.messages, given.minutes, given.tokens)
    return Threads(pool, bounds, most=share_of(Terms.of(config.budget, runtime)), wanted=asks)
