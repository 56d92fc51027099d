"""`[[tools]]`: MCP servers whose tools a specialist's model may use (D58, D61)."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from butler_contracts.model_urls import KEY_IN_CLEAR, key_in_clear
from butler_kit.config.section import Section

__all__ = ["MOST_SERVERS", "ToolServerConfig"]

MOST_SERVERS: Final = 8
ToolName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:/-]{1,64}$")]


class ToolServerConfig(Section):
    """One server, how it is spoken with, and which of its tools are offered."""

    name: Annotated[str, Field(pattern="^[a-z][a-z0-9]{0,19}$")]
    url: Annotated[str, Field(pattern=r"^https?://[^\s/?#@]+(/[^\s?#]*)?$", max_length=500)]
    transport: Literal["streamableHttp", "sse"] = "streamableHttp"
    token_env: str | None = None
    """Need not be set: a missing token is a state of the server, not an error of the file."""
    allow: Annotated[tuple[ToolName, ...], Field(min_length=1, max_length=32)]
    read_only: Annotated[tuple[ToolName, ...], Field(max_length=32)] | None = None
    """Which of them change nothing; None: those of which the server says so."""
    approval: Literal["never", "destructive", "always"] = "never"
    """Which calls wait until somebody approves of them."""
    timeout_s: Annotated[float, Field(gt=0, le=60, allow_inf_nan=False)] = 10.0

    @property
    def by_sse(self) -> bool:
        """Whether it is a server of the older transport: one stream of events, and POSTs beside it."""
        return self.transport == "sse"

    def may_repeat(self, tool: str, *, hinted: bool) -> bool:
        """Whether a tool only reads: by the configuration where that says it, else by the server's own word."""
        return tool in self.read_only if self.read_only is not None else hinted

    def waits(self, *, destructive: bool) -> bool:
        """Whether a call waits for an approval; `destructive` is what its server says of the tool, or does not deny."""
        return self.approval == "always" or (self.approval == "destructive" and destructive)

    @model_validator(mode="after")
    def _keeps_its_token(self) -> Self:
        if self.token_env is not None and key_in_clear(self.url):
            raise ValueError(KEY_IN_CLEAR)
        unknown = [tool for tool in self.read_only or () if tool not in self.allow]
        if unknown:
            raise ValueError(f"read_only names {unknown[0]!r}, which allow does not")
        return self
