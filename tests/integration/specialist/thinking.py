"""What a specialist that asks a model is tested with: its manifest, and models that call what a test says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.integration.specialist.household import envelope, request_context
from tests.support.model_api import Answer, Asked, Call, ModelServer

__all__ = ["KEY", "VARIABLE", "api", "at_once", "in_turn", "spec"]

KEY = "sk-household-0123456789abcdef"
VARIABLE = "BUTLER_MODEL_API_KEY"


def at_once(*calls: Call) -> Callable[[Asked], Answer]:
    """All calls in one answer, and nothing after them."""
    return lambda asked: Answer("done") if asked.told else Answer(calls=calls)


def in_turn(*calls: Call) -> Callable[[Asked], Answer]:
    """One call an answer."""
    return lambda asked: (
        Answer(calls=(calls[len(asked.told)],)) if len(asked.told) < len(calls) else Answer("done")
    )


def spec(server: ModelServer, provider: str = "openai", **more: Any) -> dict[str, Any]:
    runtime = {
        "family": "api",
        "provider": provider,
        "baseUrl": server.base_url(provider),
        "apiKeySecretRef": {"name": "model", "key": "api-key"},
        "model": "stub",
        **more,
    }
    return {"runtime": runtime}


def api(text: str, *, butler: str = "finance", **context: Any) -> dict[str, Any]:
    return envelope(text, butler=butler, context=request_context("api", **context))
