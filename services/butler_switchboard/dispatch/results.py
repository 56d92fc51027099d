"""The results of the earlier parts of an ordered plan, as a later part is told them (SWB-30; ADR 0082).

Read from stored data, so that every worker that continues the plan tells the same. Invariant: only the beginning of
what the writer of the same request was answered; it is data, and never part of the prompt.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from butler_contracts.route import ANSWER_MAX, RESULTS_MAX, PartResultV1
from butler_kit.db import NamedQueries, Pool, acquire
from butler_switchboard.dispatch.model import FanoutMode, Plan, RequestState, Subroute, SubrouteState
from butler_switchboard.dispatch.outcome import reply_of
from butler_switchboard.dispatch.together import ONE_QUESTION
from butler_switchboard.dispatch.withdrawing import lets_go

__all__ = ["Results", "parts_before", "results_of"]

_SQL: Final = NamedQueries("butler_switchboard", "sql/dispatch.sql")["told_by"]


class Results:
    """Reads the answers of the parts that a part had to wait for."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def before(self, state: RequestState, plan: Plan, part: Subroute) -> tuple[PartResultV1, ...]:
        """Return the results in the order of the plan; empty if the part waited for none."""
        parts = parts_before(state, plan, part)
        silent = [one.target for one in parts if reply_of(one) is None and one.state is SubrouteState.OK]
        if not silent:
            return results_of(parts, {})
        async with acquire(self._pool, doing="reading what was answered") as connection:
            rows = await connection.fetch(_SQL, state.request_id, silent)
        return results_of(parts, {row["origin_butler"]: row["message_excerpt"] for row in rows})


def parts_before(state: RequestState, plan: Plan, part: Subroute) -> tuple[Subroute, ...]:
    """Return the parts that `part` waited for; none if all go out at once, or each gets the same question."""
    if plan.fanout_mode is FanoutMode.PARALLEL or plan.reason in ONE_QUESTION or lets_go(plan, part):
        return ()
    return tuple(one for one in state.latest() if one.position < part.position)[-RESULTS_MAX:]


def results_of(parts: tuple[Subroute, ...], told: Mapping[str, str]) -> tuple[PartResultV1, ...]:
    """Return how each ended; its answer is its own result, or else what is in `told` under its name."""
    return tuple(_result(one, reply_of(one) or told.get(one.target)) for one in parts)


def _result(part: Subroute, answer: str | None) -> PartResultV1:
    if part.state is not SubrouteState.OK:
        return PartResultV1(butler=part.target, ended="error")
    return PartResultV1(butler=part.target, ended="ok", answer=_bounded(answer) if answer else None)


def _bounded(answer: str) -> str:
    return answer if len(answer) <= ANSWER_MAX else f"{answer[: ANSWER_MAX - 1]}…"
