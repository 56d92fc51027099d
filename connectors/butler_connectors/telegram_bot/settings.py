"""The environment of the Telegram connector."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, SecretStr, model_validator

from butler_connectors.base.settings import CursorEnvironment

__all__ = ["TelegramEnvironment"]


class TelegramEnvironment(CursorEnvironment):
    """The bot's token and how it is polled."""

    bot_token: Annotated[SecretStr, Field(alias="TELEGRAM_BOT_TOKEN")]
    api_base_url: Annotated[
        str, Field(alias="TELEGRAM_API_BASE_URL", pattern=r"^https?://[^\s/]+(/\S*)?$")
    ] = "https://api.telegram.org"
    poll_timeout_s: Annotated[int, Field(alias="TELEGRAM_POLL_TIMEOUT_S", ge=0, le=50)] = 50
    stall_timeout_s: Annotated[float, Field(alias="TELEGRAM_STALL_TIMEOUT_S", gt=0, le=600)] = 120.0

    @model_validator(mode="after")
    def _a_poll_may_end_before_it_counts_as_stalled(self) -> Self:
        if self.stall_timeout_s <= self.poll_timeout_s:
            raise ValueError("TELEGRAM_STALL_TIMEOUT_S must be larger than TELEGRAM_POLL_TIMEOUT_S")
        return self
