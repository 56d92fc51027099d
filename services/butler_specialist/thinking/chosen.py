"""What runs a specialist's sessions: rules, or its manifest's family with the profile's tools around it (D28, D57)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from butler_kit.config import RuntimeConfig
from butler_kit.db import Pool
from butler_kit.runtime import RuntimeFamily
from butler_kit.runtime.budget import Spending
from butler_kit.runtime.thinking import Thinking, thinking_of
from butler_kit.time import Clock
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.profile import Profile
from butler_specialist.store.own_records import StoredOwnRecords
from butler_specialist.thinking.family import RulesFirst, WithTools
from butler_specialist.work.session import RulesSessions

__all__ = ["specialist_thinking"]


def specialist_thinking(
    runtime: RuntimeConfig,
    env: Mapping[str, str],
    profile: Profile,
    rules: RulesSessions,
    clock: Clock,
    *,
    pool: Callable[[], Pool],
    spending: Spending | None = None,
) -> Thinking:
    """What `[runtime]` says; raises `RuntimeUnavailable` for a family that is not there and has no fallback.

    Rules also stand in for a model that comes to no answer: whoever wrote gets theirs.
    """

    def own(answering: Answering) -> StoredOwnRecords:
        return StoredOwnRecords(pool(), answering.whose.me)

    def with_tools(family: RuntimeFamily) -> WithTools:
        return WithTools(family, profile=profile, rules=rules, own=own, max_calls=runtime.max_tool_calls)

    return thinking_of(
        runtime,
        env,
        rules.family,
        clock,
        rules_model=rules.version,
        around=with_tools,
        outside=lambda family: RulesFirst(family, rules),
        for_misled=True,
        spending=spending,
    )
