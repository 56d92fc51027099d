"""What runs a specialist's sessions: rules, or the manifest's family with the profile's tools (D28, D57)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from uuid import UUID

from butler_kit.config import RuntimeConfig
from butler_kit.db import Pool
from butler_kit.runtime import RuntimeFamily
from butler_kit.runtime.budget import Spending
from butler_kit.runtime.thinking import Thinking, thinking_of
from butler_kit.time import Clock, new_uuid7
from butler_specialist.outside.journal import Journal
from butler_specialist.outside.model import Hand
from butler_specialist.outside.servers import ToolServers
from butler_specialist.outside.session import OutsideTools
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.profile import Profile
from butler_specialist.store.own_records import StoredOwnRecords
from butler_specialist.thinking.family import RulesFirst, WithTools
from butler_specialist.thinking.prompt import Texts
from butler_specialist.thinking.shared import SharedFacts
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
    texts: Texts,
    spending: Spending | None = None,
    servers: ToolServers | None = None,
    shared: SharedFacts | None = None,
) -> Thinking:
    """Return the runtime of `[runtime]`; raise `RuntimeUnavailable` if the family is missing and has no fallback.

    Rules also stand in for a model that gives no answer: the sender gets theirs. `texts` are what a model is told
    in every session, `servers` have the outside tools, `shared` what other butlers share of the sender.
    """

    def own(answering: Answering) -> StoredOwnRecords:
        return StoredOwnRecords(pool(), answering.whose.me, answering.policy, in_group=answering.in_group)

    async def outside(hand: Hand, session_id: UUID, boundary: str) -> OutsideTools:
        if servers is None:
            raise RuntimeError("there are no tool servers")
        return OutsideTools(
            servers=servers,
            journal=Journal(pool()),
            shelf=await servers.shelf(),
            hand=hand,
            session_id=session_id,
            boundary=boundary,
            new_id=lambda: new_uuid7(clock.now()),
        )

    def with_tools(family: RuntimeFamily) -> WithTools:
        return WithTools(
            family,
            profile=profile,
            rules=rules,
            own=own,
            max_calls=runtime.max_tool_calls,
            texts=texts,
            outside=outside if servers is not None else None,
            shared=shared,
        )

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
