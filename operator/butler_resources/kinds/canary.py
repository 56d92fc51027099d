"""The block `runtime.canary` of a Switchboard, and the household's own instructions for routing (SWB-36.1).

Invariant: what is tried is another thing than what is usual, and there is a model to read it. A `family` makes it a
runtime of its own, with its own server, key and price.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final

from pydantic import Field, StringConstraints

from butler_resources.kinds.base import HttpUrl, ResourceModel, SecretRef, ShortText
from butler_resources.kinds.budget import TRIES_A_FAMILY, ModelPrice
from butler_resources.kinds.model_server import ASKED, Family, Provider
from butler_resources.kinds.rules import Rule
from butler_resources.kinds.settings import setting

__all__ = ["CANARIES", "Canary", "Instructions"]

Instructions = Annotated[
    str, StringConstraints(min_length=1, max_length=4_000, strip_whitespace=True, pattern=r"\S")
]


_OF_A_SERVER: Final = {
    "provider": "provider",
    "base_url": "baseUrl",
    "api_key_secret_ref": "apiKeySecretRef",
    "price": "price",
}
_OF_A_MODEL: Final = {**_OF_A_SERVER, "model": "model", "instructions": "instructions"}


def _given(fields: Mapping[str, str]) -> str:
    return " || ".join(f"has(self.{name})" for name in fields.values())


def _has_any(canary: Any, *fields: str) -> bool:
    return any(getattr(canary, field) is not None for field in fields)


class Canary(ResourceModel):
    """Canary for routing on a share of the threads, rolled back if it is significantly worse (SWB-36.1)."""

    family: Family | None = Field(
        default=None,
        description="Runtime family to try, with `provider`, `baseUrl`, `apiKeySecretRef`, `model` and `price` of its "
        "own. The regular runtime is its fallback. Without it, `model` and `instructions` are tried on the regular "
        "runtime.",
    )
    provider: Provider | None = Field(
        default=None, description="Family api: protocol of the model's server, as `runtime.provider`."
    )
    base_url: HttpUrl | None = Field(
        default=None,
        description="URL of the tried family's model server, as `runtime.baseUrl`. Defaults to the provider's own.",
    )
    api_key_secret_ref: SecretRef | None = Field(
        default=None,
        description="Secret and key that hold the API key of the tried family's model server. While it is missing, the "
        "regular runtime decides.",
    )
    model: ShortText | None = setting(
        "Model to try, on the runtime's server or that of `family`. The regular model is its fallback. Tiers with "
        "their own model do not take part.",
        default="runtime.model",
    )
    instructions: Instructions | None = setting(
        "Instructions to try instead of `routing.instructions`.", default="routing.instructions"
    )
    percent: int | None = setting(
        "Percentage of threads routed with the canary. Raising it keeps all threads of the canary.",
        default=10,
        ge=1,
        le=90,
    )
    minimum_decisions: int | None = setting(
        "Minimum number of decisions of each, canary and regular, before they are compared.",
        default=30,
        ge=10,
        le=10_000,
    )
    significance: float | None = setting(
        "Significance level of a difference at which the canary is rolled back.",
        default=0.001,
        ge=0.000_001,
        le=0.05,
    )
    attempt: int | None = setting(
        "Increase it to retry a canary that was rolled back.", default=1, ge=1, le=1_000
    )
    price: ModelPrice | None = Field(
        default=None, description="Price of the tried family's model, as `runtime.price`."
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="has(self.family) || has(self.model) || has(self.instructions)",
            message="a canary needs `family`, `model`, `instructions`, or several of them",
            holds=lambda canary: _has_any(canary, "family", "model", "instructions"),
        ),
        Rule(
            cel=f"has(self.family) || !({_given(_OF_A_SERVER)})",
            message="`provider`, `baseUrl`, `apiKeySecretRef` and `price` of a canary belong to its `family`; add that "
            "or remove them",
            holds=lambda canary: canary.family is not None or not _has_any(canary, *_OF_A_SERVER),
        ),
        Rule(
            cel=f"!has(self.family) || self.family != 'rules' || !({_given(_OF_A_MODEL)})",
            message="a canary of family rules takes no model; remove all but `family` and its share",
            holds=lambda canary: canary.family != "rules" or not _has_any(canary, *_OF_A_MODEL),
        ),
        *ASKED,
    )


def _differs(name: str) -> str:
    sides = (f"(has({of}.{name}) ? {of}.{name} : '')" for of in ("self.runtime.canary", "self.runtime"))
    return " != ".join(sides)


def _whom(block: Any) -> tuple[str | None, ...]:
    return block.family, block.provider, block.base_url


def _own(spec: Any) -> str | None:
    own: str | None = spec.routing.instructions if spec.routing is not None else None
    return own


def _tried(spec: Any, field: str) -> str | None:
    canary = spec.runtime.canary
    return getattr(canary, field) if canary is not None else None


CANARIES: Final = (
    Rule(
        cel="self.role == 'switchboard' || !has(self.runtime.canary)",
        message="`runtime.canary` belongs to role switchboard; remove it or change `role`",
        holds=lambda spec: spec.role == "switchboard" or spec.runtime.canary is None,
        path=".runtime.canary",
    ),
    Rule(
        cel="self.runtime.family != 'rules' || !has(self.routing) || !has(self.routing.instructions) || "
        f"{TRIES_A_FAMILY}",
        message="`routing.instructions` needs a model; choose a `runtime.family` other than rules",
        holds=lambda spec: (
            spec.runtime.family != "rules" or _own(spec) is None or _tried(spec, "family") is not None
        ),
        path=".routing",
    ),
    Rule(
        cel="!has(self.runtime.canary) || !has(self.runtime.canary.instructions) || !has(self.routing) || "
        "!has(self.routing.instructions) || self.runtime.canary.instructions != self.routing.instructions",
        message="`runtime.canary.instructions` equals `routing.instructions`; change or remove it",
        holds=lambda spec: (tried := _tried(spec, "instructions")) is None or tried != _own(spec),
        path=".runtime.canary.instructions",
    ),
    Rule(
        cel="!has(self.runtime.canary) || !has(self.runtime.canary.model) || !has(self.runtime.model) || "
        "has(self.runtime.canary.family) || self.runtime.canary.model != self.runtime.model",
        message="`runtime.canary.model` equals `runtime.model`; change or remove it",
        holds=lambda spec: (
            _tried(spec, "family") is not None
            or (tried := _tried(spec, "model")) is None
            or tried != spec.runtime.model
        ),
        path=".runtime.canary.model",
    ),
    Rule(
        cel=f"!{TRIES_A_FAMILY} || self.runtime.canary.family != self.runtime.family || {_differs('provider')} || "
        f"{_differs('baseUrl')}",
        message="`runtime.canary.family` names the regular runtime; remove it to try a model or instructions there, or "
        "give another `provider` or `baseUrl`",
        holds=lambda spec: (
            _tried(spec, "family") is None or _whom(spec.runtime.canary) != _whom(spec.runtime)
        ),
        path=".runtime.canary.family",
    ),
)
"""Of `ButlerSpec`."""
