"""Submits an envelope over MCP as the household's operator, who may hand in what a person typed (D88)."""

from __future__ import annotations

import asyncio
from typing import Final

from pydantic import ValidationError

from butler_cli.client.household import RunningHousehold
from butler_cli.client.refusals import of_detail
from butler_cli.errors import UserError
from butler_cli.local.keys import TokenGrant
from butler_contracts.errors import ErrorDetail
from butler_contracts.ingest import IngestAcceptedResponse, IngestEnvelopeV1
from butler_kit.mcp import AuthenticationRefused, CachedMCPClient, ToolError

__all__ = ["submit"]

SUBMIT_TIMEOUT_S: Final = 15.0


def submit(household: RunningHousehold, envelope: IngestEnvelopeV1) -> IngestAcceptedResponse:
    """Hand `envelope` to Switchboard, which notes who did. Raises `UserError`."""
    url = household.url("switchboard", "mcp")
    try:
        answer = asyncio.run(_ingest(household, envelope, url))
    except ToolError as error:
        if error.error is None:
            raise UserError(f"Switchboard did not take the message: {error}") from error
        raise UserError(f"Switchboard did not take the message: {_said(error.error, household)}") from error
    except AuthenticationRefused as error:
        raise UserError(
            f"Switchboard does not accept tokens of {household.state.root}; "
            "is this the state directory of the household that runs there? Name it with --state DIR"
        ) from error
    except ConnectionError as error:
        raise household.not_answering("switchboard", url, "does not answer") from error
    try:
        return IngestAcceptedResponse.model_validate(answer)
    except ValidationError as error:
        raise UserError(
            f"{url} answered with something that is not ours; `butlers status` shows the ports"
        ) from error


def _said(error: ErrorDetail, household: RunningHousehold) -> str:
    return of_detail(error).line(household.hints)


async def _ingest(household: RunningHousehold, envelope: IngestEnvelopeV1, url: str) -> dict[str, object]:
    grant = TokenGrant("operator", {"role": "operator"})
    client = CachedMCPClient.for_service(url, lambda: household.token_for(grant), timeout_s=SUBMIT_TIMEOUT_S)
    try:
        return await client.call("ingestion.ingest", {"envelope": envelope.to_wire()})
    finally:
        await client.aclose()
