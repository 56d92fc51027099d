"""Tell Switchboard which butlers exist and how their processes are (D3, D30): declarations and evidence.

The supervisor only reports; Switchboard decides. A report that fails is sent again with the next beat.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final

import httpx

from butler_cli.errors import UserError
from butler_cli.local.child_state import ChildState
from butler_cli.local.plan import HOST
from butler_cli.local.ports import Ports
from butler_kit.time import Clock
from butler_resources.kinds import Manifests
from butler_resources.render.registry import declaration_of, evidence_of

__all__ = [
    "Declarations",
    "eligibility_states",
    "evidence_of_child",
    "report_evidence",
    "wait_registered",
]

BEAT_S: Final = 20.0
"""A third of the time for which Switchboard believes a report; changes are reported at once."""
ANSWER_TIMEOUT_S: Final = 15.0
SETTLED: Final = ("active", "quarantined")
"""A quarantined butler is known, and not waited for."""
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
            endpoint = f"http://{HOST}:{ports.by_process[butler.name]}/mcp"
            body = declaration_of(butler, endpoint=endpoint, now=now)
            try:
                response = await self._send("PUT", f"/butlers/{butler.name}", body)
            except httpx.HTTPError as error:
                raise UserError(
                    f"Switchboard did not take butler {butler.name}: {type(error).__name__}; see its log"
                ) from error
            if response.is_error:
                reason = " ".join(response.text.split())[:500]
                raise UserError(f"Switchboard refused butler {butler.name}: {response.status_code} {reason}")

    async def eligibility(self) -> dict[str, str]:
        """Each butler's state in Switchboard's registry; empty when Switchboard cannot be asked now."""
        try:
            response = await self._client.get(f"{self._ops_url}/butlers", headers=self._headers())
            response.raise_for_status()
            return eligibility_states(response.json())
        except (httpx.HTTPError, ValueError):
            return {}

    async def evidence(self, body: dict[str, Any]) -> bool:
        """Report the state of one butler's process; return whether the report was taken."""
        try:
            response = await self._send("POST", "/evidence", body)
        except httpx.HTTPError:
            return False
        return not response.is_error

    async def _send(self, method: str, path: str, body: dict[str, Any]) -> httpx.Response:
        url = f"{self._ops_url}{path}"
        return await self._client.request(
            method, url, json=body, headers=self._headers(), timeout=ANSWER_TIMEOUT_S
        )

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token()}"}


def eligibility_states(document: Any) -> dict[str, str]:
    """Butler → eligibility state, from the answer of `GET /ops/v1/butlers`."""
    entries = document.get("butlers", []) if isinstance(document, dict) else document
    return {
        str(entry["name"]): str(entry["eligibility_state"])
        for entry in entries
        if isinstance(entry, dict) and "name" in entry and "eligibility_state" in entry
    }


async def wait_registered(
    declarations: Declarations, names: Sequence[str], *, deadline_s: float, every_s: float = 0.05
) -> list[str]:
    """Wait until Switchboard knows every butler of `names`; return those it did not know in time.

    Messages that came in before a specialist has registered would be routed without it.
    """
    missing = list(names)
    try:
        async with asyncio.timeout(deadline_s):
            while missing:
                states = await declarations.eligibility()
                missing = [name for name in names if states.get(name) not in SETTLED]
                if missing:
                    await asyncio.sleep(every_s)
    except TimeoutError:
        return missing
    return []


def evidence_of_child(state: ChildState, *, now: datetime) -> dict[str, Any]:
    """Return what the supervisor saw of one butler's process."""
    return evidence_of(
        state.name, ready=state.ready, restarts=state.restarts, crash_loop=state.crash_loop, observed_at=now
    )


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
                await declarations.evidence(evidence_of_child(state, now=clock.now()))
        try:
            # Not wait_for: in Python 3.11 it loses a cancellation that comes together with the change.
            async with asyncio.timeout(beat_s):
                await changed.wait()
            await asyncio.sleep(SETTLE_S)
        except TimeoutError:
            continue
