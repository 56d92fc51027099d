"""`butlers route --family F`: one session with the model that the manifests name, judged as Switchboard judges.

There is no fallback here: the point is to see what the model does. It is a dry run of manifests, of a household that
may not be running: the limits of a session hold, and no day's budget is checked or charged (ADR 0087).
"""

from __future__ import annotations

import asyncio
import os
import secrets as chance
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import uuid4

from butler_cli.errors import UserError
from butler_cli.local.secrets import Secrets
from butler_contracts.budgets import MICROCENTS, Asking, Bound, Reservation, Spent
from butler_contracts.errors import ButlerError
from butler_kit.config import BudgetConfig, HistoryConfig, RuntimeConfig, SessionBudgetConfig
from butler_kit.runtime import RuntimeFamily, SessionJob, ToolBelt
from butler_kit.runtime.api import ApiFamily, Endpoint, ModelFault, Models
from butler_kit.runtime.budget import Spending, Terms
from butler_kit.runtime.commandline import COMMAND_LINES, CommandLineFamily, Doors
from butler_kit.runtime.history import MOST_BYTES, NO_HISTORY, Earlier, history_of
from butler_kit.runtime.tokens import token_counter
from butler_kit.time import SystemClock
from butler_resources.kinds import Manifests
from butler_resources.kinds.budget import Budget
from butler_resources.kinds.canary import Canary
from butler_resources.kinds.routing import TierRouting
from butler_resources.kinds.runtime import Runtime
from butler_resources.render.tables import table_of
from butler_switchboard.dispatch.planner import ROUTE
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.own_words import in_own_words
from butler_switchboard.routing.prompt import (
    TOKENS_BY,
    estimated_tokens,
    payload,
    prompt_version,
    system_text,
)
from butler_switchboard.routing.quotes import without_repeats
from butler_switchboard.routing.registry_view import RegistryView
from butler_switchboard.routing.verdict import Provenance, Verdict, verdict

__all__ = ["ModelAsked", "model_of"]

_KEY: Final = "KEY"


class _Counted:
    """A ledger without a day's budget: usage is counted, and nothing is reserved."""

    def __init__(self) -> None:
        self.spent: list[Spent] = []

    async def reserve(self, _: Reservation) -> Bound | None:
        return None

    async def asking(self, _: Asking) -> bool:
        return True

    async def settle(self, spent: Spent) -> None:
        self.spent.append(spent)


@dataclass(frozen=True)
class ModelAsked:
    """The model of a manifest's Switchboard, the family that asks it, and the limits of a session with it."""

    family: str
    endpoint: Endpoint
    max_calls: int
    deadline_s: float
    history: HistoryConfig
    own: str = ""
    """The instructions of the household's owner."""
    terms: Terms = field(default_factory=Terms)
    counted: _Counted = field(default_factory=_Counted)

    def with_history(self, message: RoutingMessage, earlier: Sequence[Earlier]) -> RoutingMessage:
        """Return the message with as much of its thread (newest first) as the manifest gives the model."""
        mail = message.channel == "email"
        if not self.history.tokens or not earlier:
            return message
        given = history_of(
            without_repeats(earlier) if mail else earlier[: self.history.messages],
            most_tokens=self.history.tokens,
            counter=token_counter(wait=True),
            most_bytes=None if mail else MOST_BYTES,
        )
        return replace(message, history=given)

    def verdict(self, message: RoutingMessage, registry: RegistryView, threshold: float) -> Verdict:
        """Return the verdict on the message. Raises `UserError` if the model is not available."""
        return asyncio.run(self._asked(message, registry, threshold))

    def measured(self, message: RoutingMessage, registry: RegistryView) -> str:
        """Return how long the prompt is, for a person."""
        instructions = estimated_tokens(system_text(registry, self.own))
        data = estimated_tokens(payload(replace(message, history=NO_HISTORY), boundary="0" * 32))
        return (
            f"prompt: {instructions} tokens of instructions and butlers, {data} of the message ({TOKENS_BY}); "
            f"history: {self._history_measured(message)}{self._taken()}"
        )

    def _taken(self) -> str:
        """Return what the last session used, and that it counts in no day's budget."""
        if not self.counted.spent:
            return ""
        spent = self.counted.spent[-1]
        by_list = "" if spent.priced else " by a public list"
        cents = (
            f", {spent.microcents / MICROCENTS:.4f} cents{by_list}"
            if spent.priced or spent.microcents
            else ""
        )
        tokens = f"{spent.input_tokens} tokens read and {spent.output_tokens} written"
        return f"; took {tokens}{cents}, a dry run that counts in no day's budget"

    def _history_measured(self, message: RoutingMessage) -> str:
        given, bounds = message.history, self.history
        if given.lines:
            return f"{given.tokens} tokens in {given.lines} lines ({given.counted_by})"
        if not bounds.tokens:
            return "none, as the manifest says"
        most = f"at most {bounds.tokens} tokens ({token_counter(wait=True).method})"
        if message.channel == "email":
            return f"none here; from Switchboard the mail's chain, {most}"
        return f"none here; from Switchboard {bounds.messages} messages or {bounds.minutes} minutes, {most}"

    async def _asked(self, message: RoutingMessage, registry: RegistryView, threshold: float) -> Verdict:
        job = SessionJob(
            session_id=uuid4(),
            kind="route",
            system_text=system_text(registry, self.own),
            payload=payload(message, boundary=chance.token_hex(16)),
            tools=ToolBelt([ROUTE], max_calls=self.max_calls),
            model=self.endpoint.models[0],
            prompt_version=prompt_version(self.own),
            deadline_s=self.deadline_s,
        )
        async with self._opened() as family:
            failure, model = await _run(job, family)
        calls = [dict(call.args) for call in job.tools.ledger]
        source = Provenance(self.family, model, job.prompt_version or "")
        judged = verdict(calls, registry, message, threshold, failure=failure, provenance=source)
        return in_own_words(judged, message) if message.has_foreign_history else judged

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[RuntimeFamily]:
        """Open the family that asks the model; at the end everything is closed and counted."""
        spending = Spending(self.terms, lambda: self.counted)
        line = COMMAND_LINES.get(self.family)
        async with AsyncExitStack() as closing:
            if line is None:
                models = Models(self.endpoint)
                closing.push_async_callback(models.aclose)
                yield ApiFamily(self.endpoint, models.open, clock=SystemClock(), spending=spending)
            else:
                doors = Doors()
                closing.push_async_callback(doors.aclose)
                yield CommandLineFamily(
                    line, self.endpoint, doors, shutil.which, env=os.environ, spending=spending
                )
            await spending.aclose()


async def _run(job: SessionJob, family: RuntimeFamily) -> tuple[str | None, str]:
    """Return what ended the session early, if anything did, and the model that was asked."""
    try:
        async with asyncio.timeout(job.deadline_s):
            ran = await family.launch(job).program(job)
    except ModelFault as fault:
        raise UserError(f"the model cannot be had: {fault.message}") from fault
    except ButlerError as wrong:
        return str(wrong.details.get("original_class") or "failed"), job.model or ""
    except TimeoutError:
        raise UserError(f"the model gave no answer within {job.deadline_s:g} s") from None
    return None, (ran.model if ran is not None else None) or ""


def model_of(manifests: Manifests, secrets: Secrets, tier: str, family: str) -> ModelAsked:
    """Return the model that the manifests' Switchboard asks for a tier by `family`, or raise `UserError`."""
    for switchboard in manifests.with_role("switchboard"):
        routing, found = switchboard.spec.routing, _block(switchboard.spec.runtime, family)
        if found is None:
            continue
        config, ref = _config(switchboard.spec.runtime, found), found.api_key_secret_ref
        key = (secrets.find(ref) if ref is not None else None) or ""
        tiers = routing.tiers if routing is not None else None
        own: TierRouting | None = getattr(tiers, tier, None)
        if own is not None and own.model is not None and isinstance(found, Runtime):
            config = config.model_copy(update={"model": own.model})
        said = (own, routing)
        session_s = next(
            (one.session_timeout_seconds for one in said if one and one.session_timeout_seconds), 30
        )
        terms = _terms(switchboard.spec.budget, config)
        longest = min(session_s, config.timeout_s, terms.session.seconds or session_s)
        line = COMMAND_LINES.get(family)
        endpoint = Endpoint.of(
            config,
            {_KEY: key},
            provider=line.provider if line is not None else None,
            named_in="spec.runtime.canary" if isinstance(found, Canary) else "spec.runtime",
        )
        tried = found.instructions if isinstance(found, Canary) else None
        instructions = tried or (routing.instructions if routing is not None else None) or ""
        return ModelAsked(
            family, endpoint, config.max_tool_calls, longest, config.history, instructions, terms
        )
    raise UserError(
        f"no Switchboard of these manifests has runtime.family {family} or tries it as runtime.canary.family; add one, "
        "or use --family rules"
    )


def _block(runtime: Runtime, family: str) -> Runtime | Canary | None:
    """Return the block of a Switchboard that has the family: its usual runtime, or the one that it tries."""
    if runtime.family == family:
        return runtime
    return runtime.canary if runtime.canary is not None and runtime.canary.family == family else None


def _config(runtime: Runtime, found: Runtime | Canary) -> RuntimeConfig:
    table = table_of(runtime)
    table.pop("canary", None)
    if isinstance(found, Canary):
        of_model = ("family", "provider", "base_url", "api_key_secret_ref", "model", "price")
        own = {name: value for name, value in table_of(found).items() if name in of_model}
        usual = (*of_model, "fallback", "fallback_models")
        table = {name: value for name, value in table.items() if name not in usual} | own
    if table.pop("api_key_secret_ref", None) is not None:
        table["api_key_env"] = _KEY
    return RuntimeConfig.model_validate({**table, "fallback_models": tuple(table.get("fallback_models", ()))})


def _terms(budget: Budget | None, runtime: RuntimeConfig) -> Terms:
    """Return the limits of a session; no day's budget is checked."""
    session = table_of(budget.session) if budget is not None and budget.session is not None else {}
    return Terms.of(BudgetConfig(session=SessionBudgetConfig.model_validate(session)), runtime)
