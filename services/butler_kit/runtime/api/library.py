"""The one place that knows pydantic-ai, as the `Talk` of a session, and the public list of prices that comes with it.

Invariants: the instructions are the system prompt and the job's payload the only user prompt; the model is offered the
job's tools and nothing else; whatever the library or the peer does ends as calls or as a `ModelFault` without a word
of the peer's. Answers are bounded in bytes before they are parsed. The library itself never tries again: `program`
does.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from decimal import Decimal
from math import ceil
from typing import Any, Final

import httpx2
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import ModelInfo, ModelPrice, TieredPrices
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import ModelConnectionError, ModelHTTPError, ModelTimeoutError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from butler_kit.runtime.api.endpoint import Endpoint
from butler_kit.runtime.api.faults import FaultKind, ModelFault, fault_of_status
from butler_kit.runtime.api.talk import Outcome, Proposed, Said
from butler_kit.runtime.budget import Price, Tokens
from butler_kit.runtime.family import SessionJob
from butler_kit.tls import client_context, distrust

__all__ = ["Library"]

_CONNECT_S: Final = 5.0
_CONNECTIONS: Final = 16
_LOOK_S: Final = 10.0
_LIST_S: Final = 5.0
_VERSION: Final = "2023-06-01"
"""Of Anthropic's protocol."""
_KEYLESS: Final = "none"
"""Some clients insist on a key; a local server takes any."""

for _name in ("openai", "anthropic", "httpx2", "httpcore2"):
    # At level debug they write whole requests, which are people's messages.
    logging.getLogger(_name).setLevel(logging.WARNING)


class Library:
    """One HTTP client for all sessions of an endpoint, and its models by name; made outside of the event loop."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._http = _client(endpoint)
        self._models = {name: _model(endpoint, name, self._http) for name in endpoint.known}
        self._listed = {} if endpoint.priced else _listed(endpoint)

    def talk(self, job: SessionJob, model: str) -> LibraryTalk:
        return LibraryTalk(self._models[model], job, self._endpoint, model, self._listed.get(model))

    async def look(self) -> frozenset[str] | None:
        """Whether somebody is there who takes the key, by the list of models, which costs nothing; `ModelFault`.

        Return the names in the list; None if it is not whole, or cannot be read.
        """
        endpoint, key = self._endpoint, self._endpoint.key or _KEYLESS
        url, headers = f"{endpoint.base_url}/models", {"Authorization": f"Bearer {key}"}
        if endpoint.provider == "anthropic":
            url, headers = (
                f"{endpoint.base_url}/v1/models?limit=1000",
                {"x-api-key": key, "anthropic-version": _VERSION},
            )
        try:
            async with asyncio.timeout(_LOOK_S), self._http.stream("GET", url, headers=headers) as response:
                status, listed = response.status_code, await _names(response)
        except (TimeoutError, httpx2.HTTPError) as error:
            why = distrust(error) or "no connection could be made"
            raise ModelFault(FaultKind.UNREACHABLE, f"{endpoint.host} cannot be reached: {why}") from error
        if status in (401, 403):
            raise fault_of_status(
                status, host=endpoint.host, model="", retry_after_s=None, named_in=endpoint.named_in
            )
        return listed

    async def aclose(self) -> None:
        await self._http.aclose()


class LibraryTalk:
    """See `talk.Talk`."""

    def __init__(
        self,
        model: Model[Any],
        job: SessionJob,
        endpoint: Endpoint,
        name: str,
        listed: ModelInfo | None = None,
    ) -> None:
        self._model = model
        self._listed = listed
        self._name = name
        self._endpoint = endpoint
        self._said: list[ModelMessage] = [
            ModelRequest(parts=[SystemPromptPart(job.system_text), UserPromptPart(job.payload)])
        ]
        self._answer: ModelResponse | None = None
        self._size_bytes = _bytes_of(job.system_text, job.payload) + sum(
            _bytes_of(tool.name, tool.description, json.dumps(tool.schema)) for tool in job.tools.tools
        )
        self._offered = ModelRequestParameters(
            function_tools=[
                ToolDefinition(
                    name=tool.name,
                    parameters_json_schema=dict(tool.schema),
                    description=tool.description,
                    strict=False,
                )
                for tool in job.tools.tools
            ]
        )

    @property
    def size_bytes(self) -> int:
        return self._size_bytes

    async def ask(self, *, timeout_s: float, answer_tokens: int) -> Said:
        settings = ModelSettings(max_tokens=answer_tokens, timeout=timeout_s, max_retries=0)
        with _as_faults(self._endpoint, self._name):
            async with asyncio.timeout(timeout_s):
                self._answer = await model_request(
                    self._model, self._said, model_settings=settings, model_request_parameters=self._offered
                )
            took = Tokens(self._answer.usage.input_tokens, self._answer.usage.output_tokens)
            calls = [_proposed(part) for part in self._answer.parts if isinstance(part, ToolCallPart)]
            return Said(tuple(calls), took, _text_of(self._answer))

    def listed_price(self, at: datetime) -> Price | None:
        return _price(self._listed.get_prices(at)) if self._listed is not None else None

    def tell(self, outcomes: Sequence[Outcome]) -> None:
        if self._answer is None:
            raise RuntimeError("outcomes are told after an answer")
        parts = [ToolReturnPart(one.call.tool, one.text, tool_call_id=one.call.call_id) for one in outcomes]
        self._size_bytes += _size_of(self._answer) + sum(_bytes_of(one.text) for one in outcomes)
        self._said += [self._answer, ModelRequest(parts=parts)]


async def _names(response: httpx2.Response) -> frozenset[str] | None:
    if response.status_code != 200:
        return None
    try:
        async with asyncio.timeout(_LIST_S):
            told = json.loads(await response.aread())
        names = frozenset(str(one["id"]) for one in told["data"])
        return names if names and not told.get("has_more") else None
    except Exception:
        # It says nothing about whether questions are answered, whatever it is.
        return None


def _listed(endpoint: Endpoint) -> dict[str, ModelInfo]:
    """Return those of the endpoint's models that the public list knows at its address."""
    snapshot = get_snapshot()
    found: dict[str, ModelInfo] = {}
    for name in endpoint.known:
        with suppress(LookupError):
            _, found[name] = snapshot.find_provider_model(name, None, None, endpoint.base_url)
    return found


def _price(listed: ModelPrice) -> Price | None:
    """Return dollars for a million tokens in whole cents, rounded up; None if the model is paid for otherwise."""
    read, written = (getattr(listed, name, None) for name in ("input_mtok", "output_mtok"))
    if read is None or written is None:
        return None
    return Price(_cents(read), _cents(written))


def _cents(price: Decimal | TieredPrices) -> int:
    if isinstance(price, TieredPrices):
        price = max(price.base, *(tier.price for tier in price.tiers))
    return ceil(price * 100)


def _bytes_of(*texts: str) -> int:
    return sum(len(text.encode(errors="replace")) for text in texts)


def _size_of(answer: ModelResponse) -> int:
    """Bytes of an answer as the next question repeats it."""
    return sum(
        _bytes_of(
            part.tool_name, part.args if isinstance(part.args, str) else json.dumps(part.args, default=str)
        )
        if isinstance(part, ToolCallPart)
        else _bytes_of(str(getattr(part, "content", "")))
        for part in answer.parts
    )


def _text_of(answer: ModelResponse) -> str:
    return "\n".join(part.content for part in answer.parts if isinstance(part, TextPart))


def _proposed(part: ToolCallPart) -> Proposed:
    args: Any = part.args
    if isinstance(args, str):
        try:
            args = json.loads(args)
        except (ValueError, RecursionError):
            args = None
    return Proposed(part.tool_call_id, part.tool_name, args if isinstance(args, dict) else None)


def _model(endpoint: Endpoint, name: str, http: httpx2.AsyncClient) -> Model[Any]:
    key = endpoint.key or _KEYLESS
    if endpoint.provider == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        served = AnthropicProvider(api_key=key, base_url=endpoint.base_url, http_client=http)
        return AnthropicModel(name, provider=served)
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    if endpoint.own_service:
        own = OpenAIProvider(base_url=endpoint.base_url, api_key=key, http_client=http)
        return OpenAIChatModel(name, provider=own)
    other = OpenAICompatibleProvider("endpoint", base_url=endpoint.base_url, api_key=key, http_client=http)
    # The older name of the bound: servers of one's own know it, and not always the newer one.
    older = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
    return OpenAIChatModel(name, provider=other, profile=older)


@contextmanager
def _as_faults(endpoint: Endpoint, model: str) -> Iterator[None]:
    """Whatever goes wrong inside ends as a `ModelFault`."""
    host = endpoint.host
    try:
        yield
    except ModelFault:
        raise
    except (TimeoutError, ModelTimeoutError) as error:
        raise ModelFault(FaultKind.NO_ANSWER, f"{host} gave no answer in time") from error
    except ModelHTTPError as error:
        raise fault_of_status(
            error.status_code,
            host=host,
            model=model,
            retry_after_s=error.retry_after,
            named_in=endpoint.named_in,
        ) from None
    except ModelConnectionError as error:
        raise _unconnected(error, host) from error
    except Exception as error:
        # Garbage can make a parser raise anything; only the kind of error is told.
        text = f"{host} gave an answer that cannot be read ({type(error).__name__})"
        raise ModelFault(FaultKind.UNREADABLE, text) from error


def _unconnected(error: ModelConnectionError, host: str) -> ModelFault:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, _TooLong | httpx2.RemoteProtocolError | httpx2.ReadError | httpx2.DecodingError):
            return ModelFault(FaultKind.UNREADABLE, f"{host} broke its answer off, or it is too long")
        cause = cause.__cause__ or cause.__context__
    why = distrust(error) or "no connection could be made"
    return ModelFault(FaultKind.UNREACHABLE, f"{host} cannot be reached: {why}")


class _TooLong(httpx2.StreamError):
    """The answer has more bytes than a session takes."""


class _Bounded(httpx2.AsyncByteStream):
    """A response's body, up to `limit` bytes."""

    def __init__(self, inner: httpx2.AsyncByteStream, limit: int) -> None:
        self._inner = inner
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        total = 0
        async for chunk in self._inner:
            total += len(chunk)
            if total > self._limit:
                raise _TooLong(f"more than {self._limit} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


def _client(endpoint: Endpoint) -> httpx2.AsyncClient:
    limit = endpoint.limits.answer_bytes

    async def bound(response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise _TooLong("a compressed answer, though none was asked for")
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Bounded(response.stream, limit)

    return httpx2.AsyncClient(
        verify=client_context(),
        # A redirect would take the key and the message to an address that nobody named.
        follow_redirects=False,
        timeout=httpx2.Timeout(None, connect=_CONNECT_S),
        limits=httpx2.Limits(max_connections=_CONNECTIONS, max_keepalive_connections=4),
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [bound]},
    )
