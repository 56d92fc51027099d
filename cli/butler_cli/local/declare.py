"""Tells Switchboard which butlers exist and how their processes are (D3, D30): declarations and evidence.

The supervisor only reports; Switchboard decides. A report that fails is sent again with the next beat.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final

import httpx

from butler_cli.errors import UserError
from butler_cli.local.plan import HOST
from butler_cli.local.ports import Ports
from butler_cli.local.process import ChildState
from butler_kit.time import Clock
from butler_resources.kinds import Butler, Manifests
from butler_resources.render import capabilities_of, defaults_of, triggers_of

__all__ = ["Declarations", "declaration_of", "evidence_of", "report_evidence"]

BEAT_S: Final = 10.0
SETTLE_S: Final = 0.2
"""Changes within this time are reported together."""


class Declarations:
    """Switchboard's ops API, called as the household's operator."""

    def __init__(self, client: httpx.AsyncClient, *, ops_url: str, token: Callable[[], str]) -> None:
        self._client = client
        self._ops_url = ops_url
        self._token = token

    async def declare(self, manifests: Manifests, *, ports: Ports, now: datetime) -> None:
        """Declare every butler except Switchboard itself; `UserError` when one is refused."""
        for butler in manifests.butlers:
            if butler.spec.role == "switchboard":
                continue
            body = declaration_of(butler, port=ports.by_process[butler.name], now=now)
            response = await self._send("PUT", f"/butlers/{butler.name}", body)
            if response.is_error:
                reason = " ".join(response.text.split())[:500]
                raise UserError(f"Switchboard refused butler {butler.name}: {response.status_code} {reason}")

    async def evidence(self, body: dict[str, Any]) -> bool:
        """Report how one butler's process is; whether it was taken."""
        try:
            response = await self._send("POST", "/evidence", body)
        except httpx.HTTPError:
            return False
        return not response.is_error

    async def _send(self, method: str, path: str, body: dict[str, Any]) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self._token()}"}
        return await self._client.request(method, f"{self._ops_url}{path}", json=body, headers=headers)


def declaration_of(butler: Butler, *, port: int, now: datetime) -> dict[str, Any]:
    """What Switchboard's registry learns of a butler from its manifest."""
    hold = butler.spec.eligibility.quarantine
    in_force = hold is not None and hold.holds(now)
    return {
        "endpoint": f"http://{HOST}:{port}/mcp",
        "role": butler.spec.role,
        "description": defaults_of(butler).description,
        "triggers": list(triggers_of(butler)),
        "capabilities": list(capabilities_of(butler)),
        "manifest_hold": {
            "reason": hold.reason,
            "until": None if hold.until is None else hold.until.isoformat(),
        }
        if hold is not None and in_force
        else None,
    }


def evidence_of(state: ChildState, *, now: datetime) -> dict[str, Any]:
    """What the supervisor saw of one butler's process."""
    return {
        "butler": state.name,
        "ready": state.ready,
        "restarts": state.restarts,
        "crash_loop": state.crash_loop,
        "observed_at": now.isoformat(),
    }


async def report_evidence(
    declarations: Declarations,
    *,
    names: Sequence[str],
    snapshot: Callable[[], Sequence[ChildState]],
    changed: asyncio.Event,
    clock: Clock,
    beat_s: float = BEAT_S,
) -> None:
    """Report the processes `names` whenever `changed` is set, and at every beat; until cancelled."""
    while True:
        changed.clear()
        for state in snapshot():
            if state.name in names:
                await declarations.evidence(evidence_of(state, now=clock.now()))
        try:
            await asyncio.wait_for(changed.wait(), beat_s)
            await asyncio.sleep(SETTLE_S)
        except TimeoutError:
            continue
