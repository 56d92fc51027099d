"""Which runtime family runs a butler's sessions, how many at once, and whom a family that thinks asks (D28, D57).

Invariant: what a family does not honour is refused with it, so that a setting never has no effect; a key is only ever a
reference.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from pydantic import Field

from butler_resources.kinds.base import HttpUrl, ResourceModel, SecretRef, ShortText, TextSet
from butler_resources.kinds.budget import ModelPrice
from butler_resources.kinds.canary import Canary
from butler_resources.kinds.history import History
from butler_resources.kinds.model_server import ASKED, Family, Provider
from butler_resources.kinds.rules import Rule
from butler_resources.kinds.settings import setting

__all__ = ["Runtime"]

OF_A_MODEL: Final = {
    "model": "model",
    "fallback_models": "fallbackModels",
    "base_url": "baseUrl",
    "api_key_secret_ref": "apiKeySecretRef",
    "max_turns": "maxTurns",
    "max_tool_calls": "maxToolCalls",
    "history": "history",
    "canary": "canary",
    "transcripts": "transcripts",
    "price": "price",
}
"""What `rules` have nothing to do with."""
BESIDE: Final = frozenset({"max_turns", "max_tool_calls", "history", "canary", "transcripts"})
"""Those of them that hold for a family which is tried beside rules, too."""


def _of_a_model(field: str, name: str) -> Rule:
    what = "family rules takes no model" if name == "model" else f"`{name}` needs a model"
    given = f"has(self.{name})" + (f" && size(self.{name}) > 0" if field == "fallback_models" else "")
    beside = field in BESIDE
    return Rule(
        cel=f"self.family != 'rules' || !({given})"
        + (" || (has(self.canary) && has(self.canary.family))" if beside else ""),
        message=f"{what}; remove `{name}` or choose another family"
        + (", here or as `canary.family`" if beside else ""),
        holds=lambda runtime: (
            runtime.family != "rules"
            or getattr(runtime, field) in (None, ())
            or (beside and runtime.canary is not None and runtime.canary.family is not None)
        ),
        path=f".{name}",
    )


class Runtime(ResourceModel):
    """Runtime family of a butler's sessions, and how many run at once (SWB-03.7, SWB-24.1, CON-4.2, D28)."""

    family: Family = Field(
        default="rules",
        description="rules runs in the process itself. api calls a model over HTTP. codex, claude-code and opencode "
        "run the command-line tool of that name, which must be installed where the butler runs. Switchboard routes "
        "with the model, specialists work with it.",
    )
    provider: Provider | None = Field(
        default=None,
        description="Family api: protocol of the model's server. openai: chat completions, also supported by Ollama, "
        "llama.cpp, vLLM and many services. anthropic: messages.",
    )
    base_url: HttpUrl | None = Field(
        default=None,
        description="URL of the model's server, up to /v1 for openai, codex and opencode, such as "
        "http://ollama:11434/v1. Defaults to the provider's own service. With a key: https, or an address in a "
        "private network.",
    )
    api_key_secret_ref: SecretRef | None = Field(
        default=None,
        description="Secret and key that hold the API key of the model's server. A self-hosted server may need none.",
    )
    model: ShortText | None = Field(
        default=None,
        description="Name of the model on its server. Family rules takes none, codex defaults to gpt-5.3-codex-spark.",
    )
    fallback_models: TextSet = Field(
        default=(),
        max_length=5,
        description="Models to try at the same URL, in order, when the previous one is unavailable.",
    )
    max_turns: int | None = setting(
        "Maximum number of answers from the model per session. A session that still calls tools after that fails. Not "
        "used by codex, which is limited by maxToolCalls and timeoutSeconds.",
        default=6,
        ge=1,
        le=32,
    )
    max_tool_calls: int | None = setting(
        "Maximum number of tool calls per session. A session that attempts more fails.",
        default=16,
        ge=1,
        le=64,
    )
    max_concurrent_sessions: int | None = Field(
        default=None,
        ge=1,
        le=64,
        description="Maximum number of concurrent sessions. Defaults to that of the role.",
    )
    timeout_seconds: int = Field(
        default=120, ge=1, le=3600, description="Timeout of one session, in seconds."
    )
    history: History | None = Field(
        default=None,
        description="How much of a message's thread the model reads: at Switchboard all of it, at a specialist what "
        "the household said to it there. Defaults to the last 30 messages or 15 minutes of a chat, and the chain of a "
        "mail.",
    )
    canary: Canary | None = Field(
        default=None,
        description="Switchboard only: a runtime family, a model or instructions to try on a share of the threads, "
        "rolled back automatically if significantly worse.",
    )
    transcripts: Literal["none", "redacted"] | None = setting(
        "Text of a session to keep with its row. redacted: what the model read besides its instructions, and what it "
        "wrote, without secrets, 64 kB of each, readable by operators only. Tool calls are always kept.",
        default="none",
    )
    fallback: Literal["rules"] | None = Field(
        default=None,
        description="Family to use while the chosen one is unavailable. Without it the butler is not ready: "
        "Switchboard routes to general, work of a specialist waits for an outage and otherwise fails.",
    )

    price: ModelPrice | None = Field(
        default=None,
        description="Price of the model's tokens, needed for a budget in cents. Defaults to zero for a server at "
        "http:// in a private network, and to unknown for any other.",
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        *(_of_a_model(field, name) for field, name in OF_A_MODEL.items()),
        *ASKED,
    )
