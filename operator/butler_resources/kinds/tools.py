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
    """One MCP server, and which of its tools a butler's model may call."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]{0,19}$", max_length=20)] = Field(
        description="Name of the server, which the names of its tools begin with: lowercase letters and digits."
    )
    url: ToolUrl = Field(
        description="Address of the server's MCP endpoint, such as http://lamps:8765/mcp. With a token: https, or an "
        "address of one's own network."
    )
    transport: Literal["streamableHttp", "sse"] | None = setting(
        "How the server is spoken with: streamableHttp, or sse for an older one.", default="streamableHttp"
    )
    token_secret_ref: SecretRef | None = Field(
        default=None,
        description="Secret and key that hold the bearer token; a server of one's own may want none.",
    )
    allow: ToolNames = Field(
        min_length=1,
        max_length=32,
        description="Tools that the model may call, by the server's names for them; no other is offered.",
    )
    read_only: ToolNames | None = Field(
        default=None,
        description="Which of them change nothing, so that a session which called them may run again. By default those "
        "of which the server says so (readOnlyHint); where it is given, the server's word does not count.",
    )
    timeout_seconds: int | None = setting(
        "Longest wait for one answer of the server, in seconds.", default=10, ge=1, le=60
    )
    approval: Literal["never", "destructive", "always"] = Field(
        default="never",
        description="Which calls somebody has to approve of first: never, destructive (what only reads, or says of "
        "itself that it destroys nothing, is called at once), or always. Messenger asks, as for `modules.approvals`.",
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="!has(self.readOnly) || self.readOnly.all(tool, tool in self.allow)",
            message="`readOnly` names a tool that `allow` does not; remove it, or add it to `allow`",
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
