"""Where a model is asked and how much one session may ask: what `[runtime]` and the environment said (pure).

Invariant: the key is in no repr.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal
from urllib.parse import urlsplit

from butler_kit.config.models import RuntimeConfig
from butler_kit.runtime.api.faults import FaultKind, ModelFault

__all__ = ["Endpoint", "Limits", "Provider"]

Provider = Literal["openai", "anthropic"]
PUBLIC: Final[Mapping[Provider, str]] = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
}
"""Where each provider's own service is; both want a key."""


@dataclass(frozen=True)
class Limits:
    """What bounds a session besides its deadline and the calls that its tool belt accepts."""

    turns: int = 6
    attempts: int = 3
    """Of one question, when what failed may pass."""
    answer_tokens: int = 4_096
    answer_bytes: int = 1024 * 1024


@dataclass(frozen=True)
class Endpoint:
    """An address that speaks a provider's protocol, and the models to ask there, in order."""

    provider: Provider
    models: tuple[str, ...]
    """The usual one, and those that stand in for it."""
    base_url: str
    key: str | None = field(default=None, repr=False)
    key_from: str | None = None
    """The variable that was to hold the key; None where none is wanted."""
    limits: Limits = Limits()
    others: tuple[str, ...] = ()
    """Models that single jobs name in place of the usual one."""
    tried: str | None = None
    """A model that single jobs try out; the usual one stands in for it."""
    named_in: str = "spec.runtime"
    """The block of the manifest that says all this."""
    priced: bool = True
    """Whether the owner says what a token costs."""

    @classmethod
    def of(
        cls,
        config: RuntimeConfig,
        env: Mapping[str, str],
        others: Sequence[str] = (),
        *,
        tried: str | None = None,
        provider: Provider | None = None,
        named_in: str = "spec.runtime",
    ) -> Endpoint:
        """What `[runtime]` of a family that asks a model says; the key, if any, is in `env`.

        `provider` is that of a command line, which speaks one protocol and no other.
        """
        provider, model = provider or config.provider, config.asked_model
        if provider is None or model is None:
            raise ValueError("[runtime] of a family that asks a model names whom to ask")
        key = env.get(config.api_key_env, "").strip() if config.api_key_env is not None else ""
        return cls(
            provider=provider,
            models=(model, *config.fallback_models),
            base_url=(config.base_url or PUBLIC[provider]).rstrip("/"),
            key=key or None,
            key_from=config.api_key_env,
            limits=Limits(turns=config.max_turns),
            others=tuple(others),
            tried=tried,
            named_in=named_in,
            priced=config.known_price is not None,
        )

    @property
    def known(self) -> frozenset[str]:
        """Every model that may be asked."""
        tried = () if self.tried is None else (self.tried,)
        return frozenset((*self.models, *self.others, *tried))

    def for_job(self, wanted: str | None) -> tuple[str, ...]:
        """The models to ask for a job that names one, in order; one that nobody has set up is not asked."""
        if wanted is not None and wanted == self.tried:
            return (wanted, *(model for model in self.models if model != wanted))
        if wanted not in self.others:
            return self.models
        return (wanted, *(model for model in self.models[1:] if model != wanted))

    @property
    def host(self) -> str:
        """Where it is, for a person: host and port."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    @property
    def own_service(self) -> bool:
        """Whether it is the provider's own, not something compatible."""
        return self.base_url == PUBLIC[self.provider]

    def check(self) -> None:
        """Raises `ModelFault` when no question could be asked whatever the network does."""
        if self.key is not None and not (
            self.key.isascii() and self.key.isprintable() and " " not in self.key
        ):
            raise ModelFault(
                FaultKind.NO_KEY,
                f"what {self.key_from} holds is no key: it has blanks, line breaks or the like in it; correct the "
                f"secret of {self.named_in}.apiKeySecretRef",
            )
        if self.key is None and (self.key_from is not None or self.own_service):
            wanted = "no key is named" if self.key_from is None else f"{self.key_from} is not set"
            raise ModelFault(
                FaultKind.NO_KEY,
                f"the model at {self.host} needs a key and {wanted}; name it in {self.named_in}.apiKeySecretRef "
                "and put its value into that secret",
            )
