"""Order the BackfillJobs of a household's manifests from Switchboard, once each (SWB-18, D34).

Invariant: a restart orders nothing twice; a job whose days changed in the manifest is another job. A connector that
is not online yet is waited for, and a job that cannot be ordered does not end the household.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from typing import Any, Final

import httpx

from butler_resources.kinds import BackfillJob, Connector, Manifests

__all__ = ["BackfillOrders", "order_of", "verb_of"]

RETRY_S: Final = 2.0
RETRY_MAX_S: Final = 30.0
ANSWER_TIMEOUT_S: Final = 15.0
_LATER: Final = frozenset({409, 429})
"""The connector is not online yet; too much at once."""


class BackfillOrders:
    """Switchboard's ops API, called as the household's operator."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        *,
        ops_url: str,
        token: Callable[[], str],
        report: Callable[[str], None],
    ) -> None:
        self._client = client
        self._ops_url = ops_url
        self._token = token
        self._report = report

    async def run(self, manifests: Manifests) -> None:
        """Order every job; ends when all are ordered or refused."""
        sources = {connector.name: connector for connector in manifests.connectors}
        jobs = [job for job in manifests.backfills if job.spec.connector_ref in sources]
        await asyncio.gather(*(self._order(job, sources[job.spec.connector_ref]) for job in jobs))

    async def _order(self, job: BackfillJob, connector: Connector) -> None:
        made = await self._until_taken(job, "/backfills", order_of(job, connector))
        verb = verb_of(job, made) if made is not None else None
        if made is not None and verb is not None:
            body = {"reason": f"spec.suspend of BackfillJob {job.name}"}
            made = await self._until_taken(job, f"/backfills/{made['job_id']}/{verb}", body)
        if made is not None:
            self._report(f"backfill {job.name} is {made.get('status')}; see `butlers backfills`")

    async def _until_taken(self, job: BackfillJob, path: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """Post until it is taken and return the answer; None if it was refused for good and reported."""
        delay_s = RETRY_S
        while True:
            answer = await self._post(path, body)
            if answer is not None and answer.is_success:
                document: dict[str, Any] = answer.json()
                return document
            if answer is not None and answer.status_code < 500 and answer.status_code not in _LATER:
                said = " ".join(answer.text.split())[:300]
                self._report(f"Switchboard refused backfill {job.name}: {answer.status_code} {said}")
                return None
            await asyncio.sleep(delay_s)
            delay_s = min(delay_s * 2, RETRY_MAX_S)

    async def _post(self, path: str, body: dict[str, Any]) -> httpx.Response | None:
        headers = {"Authorization": f"Bearer {self._token()}"}
        try:
            return await self._client.post(
                f"{self._ops_url}{path}", json=body, headers=headers, timeout=ANSWER_TIMEOUT_S
            )
        except httpx.HTTPError:
            return None


def order_of(job: BackfillJob, connector: Connector) -> dict[str, Any]:
    """Return the body for `POST /ops/v1/backfills`; its id depends on what is read, not on rate or cost."""
    spec = job.spec
    read = {
        "connector_type": connector.spec.type,
        "endpoint_identity": connector.spec.endpoint_identity,
        "target_categories": list(spec.target_categories),
        "date_from": spec.date_from.isoformat(),
        "date_to": spec.date_to.isoformat(),
    }
    digest = hashlib.sha256(json.dumps(read, sort_keys=True).encode()).hexdigest()[:16]
    return {
        **read,
        "external_id": f"manifest:{job.name}:{digest}",
        "rate_limit_per_hour": spec.rate_limit_per_hour,
        "daily_cost_cap_cents": spec.daily_cost_cap_cents,
        "suspended": spec.suspend,
    }


def verb_of(job: BackfillJob, made: dict[str, Any]) -> str | None:
    """Return the verb that brings a job to what `spec.suspend` says; at each start the manifest counts."""
    state = made.get("status")
    if job.spec.suspend and state in ("pending", "active", "cost_capped"):
        return "pause"
    return "resume" if not job.spec.suspend and state == "paused" else None
