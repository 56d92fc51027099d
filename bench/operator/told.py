"""The environment of the operator's process, and the wait until it answers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import httpx

from bench.operator.household import NAMESPACE, SYSTEM
from bench.operator.plane import Plane, free_ports

__all__ = ["answering", "environment"]

START_S: Final = 90.0


async def environment(
    plane: Plane,
    http: httpx.AsyncClient,
    place: Path,
    ops_url: str,
    *,
    resync_s: float,
    watched: Sequence[str] = (NAMESPACE,),
) -> dict[str, str]:
    """Return the operator's environment; it authenticates with a token of its own service account."""
    token = await _token(http)
    tokens = plane.folder / "tokens"
    tokens.mkdir()
    for receiver in ("switchboard", "messenger"):
        (tokens / receiver).write_text(token, encoding="ascii")
    health, metrics = free_ports(2)
    return {
        "KUBECONFIG": str(plane.kubeconfig("operator", token)),
        "HOSTNAME": "butlers-operator-bench",
        "BUTLERS_NAMESPACES": ",".join(watched),
        "BUTLERS_OPERATOR_NAMESPACE": SYSTEM,
        "BUTLERS_PLACE_FILE": str(place),
        "BUTLERS_TOKENS_DIR": str(tokens),
        "BUTLERS_OPS_URL": ops_url,
        "BUTLERS_RESYNC_SECONDS": f"{resync_s:.0f}",
        "BUTLERS_HEALTH_PORT": str(health),
        "BUTLERS_METRICS_PORT": str(metrics),
    }


async def _token(http: httpx.AsyncClient) -> str:
    path = f"/api/v1/namespaces/{SYSTEM}/serviceaccounts/butlers-operator/token"
    answer = await http.post(path, json={"spec": {"expirationSeconds": 3600}})
    return str(answer.raise_for_status().json()["status"]["token"])


async def answering(port: int) -> None:
    """Wait for the operator's health page."""
    async with asyncio.timeout(START_S), httpx.AsyncClient(trust_env=False) as http:
        while True:
            try:
                if (await http.get(f"http://127.0.0.1:{port}/healthz")).status_code == 200:
                    return
            except httpx.HTTPError:
                pass
            await asyncio.sleep(0.2)
