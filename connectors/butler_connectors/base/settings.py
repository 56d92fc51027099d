"""The environment of a connector (CNX-10): identity, transport, limits; read once, refused readably."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BeforeValidator, Field, SecretStr, model_validator

from butler_connectors.base.start import Start, parse_start
from butler_contracts.heartbeat import INTERVAL_BOUNDS_S
from butler_contracts.ingest import PolicyTier
from butler_contracts.text import Identity
from butler_kit.auth import TokenFile
from butler_kit.config import EnvironmentModel
from butler_kit.sources.senders import SenderLists

__all__ = ["SOURCES", "ConnectorEnvironment", "CursorEnvironment"]

SOURCES: Final[Mapping[str, tuple[str, str]]] = {
    "telegram_bot": ("telegram", "telegram"),
    "imap": ("imap", "email"),
    "webhook": ("internal", "api"),
}
"""Provider and channel by connector type (CNX-02.3)."""
_TIERS: Final = ("default", "interactive", "high_priority")


class ConnectorEnvironment(EnvironmentModel):
    """What every connector takes from its environment."""

    connector_type: Annotated[Literal["telegram_bot", "imap", "webhook"], Field(alias="CONNECTOR_TYPE")]
    switchboard_mcp_url: Annotated[
        str, Field(alias="SWITCHBOARD_MCP_URL", pattern=r"^https?://[^\s/]+(/\S*)?$")
    ]
    provider: Annotated[str, Field(alias="CONNECTOR_PROVIDER")]
    channel: Annotated[str, Field(alias="CONNECTOR_CHANNEL")]
    endpoint_identity: Annotated[Identity, Field(alias="CONNECTOR_ENDPOINT_IDENTITY")]
    token_file: Annotated[Path | None, Field(alias="BUTLERS_TOKEN_FILE")] = None
    api_token: Annotated[SecretStr | None, Field(alias="SWITCHBOARD_API_TOKEN", min_length=16)] = None
    checkpoint: Annotated[Literal["file", "switchboard"], Field(alias="CONNECTOR_CHECKPOINT")] = "file"
    cursor_path: Annotated[Path | None, Field(alias="CONNECTOR_CURSOR_PATH")] = None
    max_inflight: Annotated[int, Field(alias="CONNECTOR_MAX_INFLIGHT", ge=1, le=64)] = 8
    health_port: Annotated[int, Field(alias="CONNECTOR_HEALTH_PORT", ge=0, le=65535)] = 0
    poll_interval_s: Annotated[float, Field(alias="CONNECTOR_POLL_INTERVAL_S", ge=1, le=3600)] = 60.0
    backfill_poll_interval_s: Annotated[
        float, Field(alias="CONNECTOR_BACKFILL_POLL_INTERVAL_S", gt=0, le=3600)
    ] = 15.0
    heartbeat_interval_s: Annotated[float, Field(alias="CONNECTOR_HEARTBEAT_INTERVAL_S", gt=0)] = 120.0
    heartbeat_enabled: Annotated[bool, Field(alias="CONNECTOR_HEARTBEAT_ENABLED")] = True
    start: Annotated[
        Start, BeforeValidator(lambda value: parse_start(str(value))), Field(alias="CONNECTOR_START")
    ] = Start()
    max_tier: Annotated[PolicyTier, Field(alias="CONNECTOR_MAX_TIER")] = PolicyTier.INTERACTIVE
    senders_allow: Annotated[str, Field(alias="CONNECTOR_SENDERS_ALLOW")] = ""
    senders_skip: Annotated[str, Field(alias="CONNECTOR_SENDERS_SKIP")] = ""
    replica: Annotated[str | None, Field(alias="BUTLERS_REPLICA")] = None
    host: Annotated[str, Field(alias="BUTLERS_HOST", min_length=1)] = "127.0.0.1"
    log_level: Annotated[Literal["debug", "info", "warning", "error"], Field(alias="BUTLERS_LOG_LEVEL")] = (
        "info"
    )
    log_format: Annotated[Literal["json", "console"], Field(alias="BUTLERS_LOG_FORMAT")] = "json"

    @model_validator(mode="before")
    @classmethod
    def _source_is_that_of_the_type(cls, data: Any) -> Any:
        expected = SOURCES.get(data.get("CONNECTOR_TYPE", "")) if isinstance(data, Mapping) else None
        given = (data.get("CONNECTOR_PROVIDER"), data.get("CONNECTOR_CHANNEL")) if expected else None
        if expected and given and None not in given and given != expected:
            raise ValueError(
                f"CONNECTOR_TYPE {data['CONNECTOR_TYPE']} goes with CONNECTOR_PROVIDER={expected[0]} and "
                f"CONNECTOR_CHANNEL={expected[1]}"
            )
        return data

    @model_validator(mode="after")
    def _has_a_token(self) -> Self:
        if self.token_file is None and self.api_token is None:
            raise ValueError(
                "no token is set; set BUTLERS_TOKEN_FILE to the file of this connector's token, "
                "or SWITCHBOARD_API_TOKEN to the token itself"
            )
        return self

    def token(self) -> str:
        """The token to show to Switchboard now: the file's, which may be replaced, before the one given outright (D81).

        Raises `KeyFileError` for a file without a token.
        """
        if self.token_file is not None:
            return TokenFile(self.token_file).read()
        return "" if self.api_token is None else self.api_token.get_secret_value()

    @property
    def heartbeat_every_s(self) -> float:
        """The interval within its bounds (CNX-11.6)."""
        low, high = INTERVAL_BOUNDS_S
        return min(max(self.heartbeat_interval_s, low), high)

    @property
    def senders(self) -> SenderLists:
        """The allow and skip lists."""
        return SenderLists.of(self.senders_allow, self.senders_skip)

    def tier(self, wished: str) -> str:
        """The wished policy tier, or the highest that this connector may ask for (D3)."""
        return _TIERS[min(_TIERS.index(wished), _TIERS.index(self.max_tier.value))]


class CursorEnvironment(ConnectorEnvironment):
    """The environment of a connector that keeps a checkpoint: in a file, or at Switchboard under a lease (CNX-17)."""

    @model_validator(mode="after")
    def _has_a_place(self) -> Self:
        if self.checkpoint == "file" and self.cursor_path is None:
            raise ValueError(
                "no place for the checkpoint is set; set CONNECTOR_CURSOR_PATH to a file, "
                "or CONNECTOR_CHECKPOINT to switchboard"
            )
        return self
