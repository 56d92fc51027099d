"""The environment of the webhook connector."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, SecretStr, field_validator

from butler_connectors.base.settings import ConnectorEnvironment
from butler_connectors.webhook.tokens import Submitter, parse_tokens

__all__ = ["WebhookEnvironment"]


class WebhookEnvironment(ConnectorEnvironment):
    """Where posts are taken, and from whom."""

    webhook_port: Annotated[int, Field(alias="WEBHOOK_PORT", ge=0, le=65535)]
    webhook_tokens: Annotated[SecretStr, Field(alias="WEBHOOK_TOKENS")]

    @field_validator("webhook_tokens")
    @classmethod
    def _are_tokens(cls, value: SecretStr) -> SecretStr:
        parse_tokens(value.get_secret_value())
        return value

    @property
    def submitters(self) -> tuple[Submitter, ...]:
        """Who may post."""
        return parse_tokens(self.webhook_tokens.get_secret_value())
