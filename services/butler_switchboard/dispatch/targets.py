"""Calls other butlers: one cached MCP client per target, one signed token per call (D2, SWB-11).

The token says who calls (`switchboard`), which subrequest it is for (`jti`) and on whose behalf (`origin`); it is
valid for one target and one minute, so it cannot be used with anyone else.
"""

from __future__ import annotations

from typing import Any, Protocol

from butler_contracts.errors import ButlerError, InternalFailure, TargetUnavailable, ValidationFailed
from butler_contracts.route import RouteEnvelopeV1
from butler_kit.auth.signer import TokenSigner, audience_of
from butler_kit.mcp import CachedMCPClient, ToolError
from butler_switchboard.dispatch.envelope import without_unknown

__all__ = ["Endpoints", "Targets"]

TOKEN_TTL_S = 60


class Endpoints(Protocol):
    """Where butlers are, as the registry declares it."""

    def endpoint(self, name: str) -> str | None: ...


class Targets:
    """`execute` sends one `route.v1` to its target, `call` anything else; clients are kept until `aclose`."""

    def __init__(self, endpoints: Endpoints, signer: TokenSigner) -> None:
        self._endpoints = endpoints
        self._signer = signer
        self._clients: dict[tuple[str, str], CachedMCPClient] = {}

    async def execute(
        self, envelope: RouteEnvelopeV1, *, timeout_s: float, origin: str | None = None
    ) -> dict[str, Any]:
        """Return the target's `route_response.v1` as JSON. Raises `ButlerError` when there was none.

        A target of an earlier release does not know a message's own time, or the household's people: it gets the
        work without them, and does as it always did.
        """
        try:
            return await self._execute(envelope, timeout_s=timeout_s, origin=origin)
        except ValidationFailed as refusal:
            known = without_unknown(envelope, refusal)
            if known is None:
                raise
        return await self._execute(known, timeout_s=timeout_s, origin=origin)

    async def _execute(
        self, envelope: RouteEnvelopeV1, *, timeout_s: float, origin: str | None
    ) -> dict[str, Any]:
        return await self.call(
            envelope.target.butler,
            "route.execute",
            {"envelope": envelope.to_wire()},
            claims=_claims(envelope, origin),
            timeout_s=timeout_s,
        )

    async def call(
        self,
        name: str,
        tool: str,
        arguments: dict[str, Any],
        *,
        claims: dict[str, Any],
        timeout_s: float,
    ) -> dict[str, Any]:
        """Return the butler's answer to a call of one of its tools. Raises `ButlerError` if there is none."""
        token = self._signer.sign(
            audience_of(name), "switchboard", TOKEN_TTL_S, {"role": "switchboard", **claims}
        )
        try:
            return await self._client(name).call(tool, arguments, timeout_s=timeout_s, token=token)
        except ToolError as refused:
            raise _refusal(name, refused) from refused
        except (ConnectionError, TimeoutError) as failure:
            raise TargetUnavailable(f"{name} cannot be reached: {failure}", retryable=True) from failure

    def _client(self, name: str) -> CachedMCPClient:
        endpoint = self._endpoints.endpoint(name)
        if endpoint is None:
            raise TargetUnavailable(f"{name} is not declared with an endpoint", retryable=True)
        client = self._clients.get((name, endpoint))
        if client is None:
            client = CachedMCPClient.for_service(endpoint, lambda: self._handshake_token(name))
            self._clients[name, endpoint] = client
        return client

    def _handshake_token(self, name: str) -> str:
        """Return the token that opens a connection to `name`; each call on it carries its own."""
        return self._signer.sign(audience_of(name), "switchboard", TOKEN_TTL_S, {"role": "switchboard"})

    async def aclose(self) -> None:
        """Close every connection."""
        for client in self._clients.values():
            await client.aclose()
        self._clients.clear()


def _claims(envelope: RouteEnvelopeV1, origin: str | None) -> dict[str, Any]:
    claims: dict[str, Any] = {"jti": str(envelope.subrequest.subrequest_id)}
    if origin is not None:
        claims["origin"] = origin
    return claims


def _refusal(name: str, refused: ToolError) -> ButlerError:
    if refused.error is None:
        return InternalFailure(f"{name} failed without saying why")
    return ButlerError.from_detail(refused.error)
