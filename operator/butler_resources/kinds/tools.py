"""The list `tools` of a specialist: MCP servers whose tools its model may use, each by a list of what is allowed (D58).

Invariants: nothing that is not named is offered; a token is only ever a reference, and goes in clear to nobody else's
network.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, StringConstraints

from butler_contracts.model_urls import KEY_IN_CLEAR, PRIVATE_HTTP, key_in_clear
from butler_resources.kinds.base import ResourceModel, SecretRef, each_once
from butler_resources.kinds.rules import Rule
from butler_resources.kinds.settings import setting

__all__ = ["ToolServer", "ToolServers", "token_variable"]

ToolUrl = Annotated[str, StringConstraints(pattern=r"^https?://[^\s/?#@]+(/[^\s?#]*)?$", max_length=500)]
ToolName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.:/-]{1,64}$", max_length=64)]
ToolNames = Annotated[
    tuple[ToolName, ...],
    Field(max_length=32, json_schema_extra={"x-kubernetes-list-type": "set"}),
    AfterValidator(each_once),
]


class ToolServer(ResourceModel):
    """An MCP server, and the tools that a butler's model may call."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]{0,19}$", max_length=20)] = Field(
        description="Name of the server, and prefix of the names of its tools: lowercase letters and digits."
    )
    url: ToolUrl = Field(
        description="URL of the server's MCP endpoint, such as http://lamps:8765/mcp. With a token: https, or an "
        "address in a private network."
    )
    transport: Literal["streamableHttp", "sse"] | None = setting(
        "Transport of the server: streamableHttp, or sse for an older one.", default="streamableHttp"
    )
    token_secret_ref: SecretRef | None = Field(
        default=None,
        description="Secret and key that hold the bearer token. A self-hosted server may need none.",
    )
    allow: ToolNames = Field(
        min_length=1,
        max_length=32,
        description="Tools that the model may call, by the server's names for them. No others are offered.",
    )
    read_only: ToolNames | None = Field(
        default=None,
        description="Tools that change nothing, so that a session that called them can run again. Defaults to those "
        "that the server marks with readOnlyHint; if set, the server's hints are ignored.",
    )
    timeout_seconds: int | None = setting(
        "Timeout in seconds for one answer of the server.", default=10, ge=1, le=60
    )
    approval: Literal["never", "destructive", "always"] = Field(
        default="never",
        description="Which calls need approval: never, destructive (tools that only read, or declare themselves "
        "non-destructive, are called at once), or always. Messenger asks, as for `modules.approvals`.",
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="!has(self.readOnly) || self.readOnly.all(tool, tool in self.allow)",
            message="`readOnly` names a tool that is not in `allow`; remove it, or add it to `allow`",
            holds=lambda server: set(server.read_only or ()) <= set(server.allow),
            path=".readOnly",
        ),
        Rule(
            cel="!has(self.tokenSecretRef) || self.url.startsWith('https://') || "
            f"self.url.matches('{PRIVATE_HTTP}')",
            message=KEY_IN_CLEAR,
            holds=lambda server: server.token_secret_ref is None or not key_in_clear(server.url),
            path=".url",
        ),
    )


def token_variable(server: ToolServer) -> str:
    """The variable that has the server's token."""
    return f"BUTLER_TOOL_{server.name.upper()}_TOKEN"


def _names_differ(entries: tuple[ToolServer, ...]) -> tuple[ToolServer, ...]:
    each_once(tuple(entry.name for entry in entries))
    return entries


ToolServers = Annotated[
    tuple[ToolServer, ...],
    AfterValidator(_names_differ),
    Field(json_schema_extra={"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}),
]
