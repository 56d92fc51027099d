"""Follows requests to their end through the ops API and the providers' own records."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import httpx

from butler_cli.local.keys import operator_token
from butler_cli.local.state import StateDir
from examples.demo.household import DemoFailed, Household
from examples.demo.providers import Providers
from examples.demo.sending import Sent

__all__ = ["Finished", "Watcher"]

POLL_S = 0.25


@dataclass(frozen=True)
class Finished:
    """One finished message: where it went and what people were told, as the providers saw it."""

    sent: Sent
    request_id: str
    state: str
    text: str
    butlers: tuple[str, ...]
    replies: tuple[str, ...]
    notes: tuple[str, ...]
    seconds: float


class Watcher:
    """Queries Switchboard and Messenger as the operator of this state directory."""

    def __init__(self, household: Household, providers: Providers) -> None:
        self._state = StateDir(household.state)
        self._endpoints = household.endpoints
        self._providers = providers

    async def finished(self, sent: Sequence[Sent], *, deadline_s: float) -> list[Finished]:
        """Wait until every request has ended and its deliveries are settled; `DemoFailed` names what has not."""
        waiting = list(sent)
        done: dict[str, Finished] = {}
        try:
            async with asyncio.timeout(deadline_s), httpx.AsyncClient(timeout=10, trust_env=False) as client:
                while waiting:
                    for item in list(waiting):
                        end = await self._look(client, item)
                        if end is not None:
                            done[item.message.id] = end
                            waiting.remove(item)
                    if waiting:
                        await asyncio.sleep(POLL_S)
        except TimeoutError:
            names = ", ".join(item.message.id for item in waiting)
            raise DemoFailed(f"not finished within {deadline_s:g} s: {names}") from None
        return [done[item.message.id] for item in sent]

    async def _look(self, client: httpx.AsyncClient, sent: Sent) -> Finished | None:
        request_id = sent.request_id or await self._find(client, sent)
        if request_id is None:
            return None
        view = await self._get(client, "switchboard", f"requests/{request_id}")
        if view["final_state_at"] is None or view["work"] is not None:
            return None
        deliveries = await self._deliveries(client, request_id)
        if any(item["status"] in ("pending", "in_progress") for item in deliveries):
            return None
        said = [(item, self._said(item)) for item in deliveries if item["intent"] != "react"]
        replies = [text for item, text in said if item["intent"] == "reply" and text]
        if sent.message.channel == "api" and view["aggregated_reply"] is not None:
            replies.append(view["aggregated_reply"]["text"])
        return Finished(
            sent=sent,
            request_id=request_id,
            state=view["lifecycle_state"],
            text=view["envelope"]["payload"]["normalized_text"],
            butlers=tuple(sorted({part["target"] for part in view["subroutes"]})),
            replies=tuple(replies),
            notes=tuple(text for item, text in said if item["intent"] == "send" and text),
            seconds=_seconds(sent.sent_at, view, deliveries),
        )

    async def _find(self, client: httpx.AsyncClient, sent: Sent) -> str | None:
        found = await self._get(client, "switchboard", "requests", dedupe_key=sent.dedupe_key or "")
        return found["requests"][0]["request_id"] if found["requests"] else None

    async def _deliveries(self, client: httpx.AsyncClient, request_id: str) -> list[dict[str, Any]]:
        found = await self._get(client, "messenger", "deliveries", request_id=request_id, limit="100")
        items: list[dict[str, Any]] = found["deliveries"]
        return items

    def _said(self, delivery: dict[str, Any]) -> str:
        """Return what the provider really accepted for this delivery; empty if nothing."""
        identifier = delivery["provider_delivery_id"]
        if delivery["channel"] == "email":
            mails = self._providers.smtp.accepted
            return next((mail.text.strip() for mail in mails if mail.message_id == identifier), "")
        sent = self._providers.telegram.sent
        return next(
            (str(one["text"]) for one in sent if f"{one['chat_id']}:{one['message_id']}" == identifier), ""
        )

    async def _get(self, client: httpx.AsyncClient, service: str, path: str, **query: str) -> Any:
        token = operator_token(self._state, audience=service)
        url = f"{self._endpoints[service]['ops']}/{path}"
        answer = await client.get(url, params=query, headers={"Authorization": f"Bearer {token}"})
        answer.raise_for_status()
        return answer.json()


def _seconds(sent_at: datetime, view: dict[str, Any], deliveries: list[dict[str, Any]]) -> float:
    ends = [
        view["final_state_at"],
        *(item["terminal_at"] for item in deliveries if item["intent"] != "react"),
    ]
    last = max(datetime.fromisoformat(end) for end in ends if end is not None)
    return max(0.0, (last - sent_at).total_seconds())
