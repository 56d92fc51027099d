"""Submit an envelope over MCP as the household's operator, who may submit what a person typed (D88)."""

from __future__ import annotations

from pydantic import ValidationError

from butler_cli.client.household import RunningHousehold
from butler_cli.client.tools import call_switchboard
from butler_cli.errors import UserError
from butler_contracts.ingest import IngestAcceptedResponse, IngestEnvelopeV1

__all__ = ["submit"]


def submit(household: RunningHousehold, envelope: IngestEnvelopeV1) -> IngestAcceptedResponse:
    """Submit `envelope` to Switchboard, which records who did. Raises `UserError`."""
    answer = call_switchboard(
        household,
        "ingestion.ingest",
        {"envelope": envelope.to_wire()},
        refused="Switchboard did not take the message",
    )
    try:
        return IngestAcceptedResponse.model_validate(answer)
    except ValidationError as error:
        url = household.url("switchboard", "mcp")
        raise UserError(
            f"{url} answered with something that is not ours; `butlers status` shows the ports"
        ) from error
