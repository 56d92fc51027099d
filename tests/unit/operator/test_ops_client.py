"""The ops client: an answer, not now, or no."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from butler_kit.auth import KeyFileError
from butler_operator.gateways.ops import OpsClient, OpsNotFound, OpsRefused, OpsUnavailable


def client(
    answer: Callable[[httpx.Request], httpx.Response], token: Callable[[], str] = lambda: "t"
) -> OpsClient:
    http = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    return OpsClient(http, base_url="http://sw:40100/", service="switchboard", token=token)


async def test_each_call_shows_the_token_of_the_moment_and_its_key() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"ok": True})

    tokens = iter(["one", "two"])
    ops = client(answer, lambda: next(tokens))
    assert await ops.request("POST", "/backfills", {"a": 1}, idempotency_key="uid") == {"ok": True}
    await ops.request("GET", "/butlers")
    assert str(seen[0].url) == "http://sw:40100/ops/v1/backfills"
    assert [request.headers["Authorization"] for request in seen] == ["Bearer one", "Bearer two"]
    assert seen[0].headers["Idempotency-Key"] == "uid"


@pytest.mark.parametrize(
    ("status", "expected"),
    [(500, OpsUnavailable), (503, OpsUnavailable), (401, OpsUnavailable), (429, OpsUnavailable),
     (404, OpsNotFound), (400, OpsRefused), (403, OpsRefused), (409, OpsRefused)],
)  # fmt: skip
async def test_an_answer_is_no_or_not_now(status: int, expected: type[Exception]) -> None:
    body = {"error": {"class": "validation_error", "message": "unknown butler", "retryable": False}}
    with pytest.raises(expected, match="unknown butler") as caught:
        await client(lambda _: httpx.Response(status, json=body)).request("GET", "/x")
    assert type(caught.value) is expected


async def test_what_is_no_answer_at_all_is_not_now() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    def no_token() -> str:
        raise KeyFileError("no file")

    with pytest.raises(OpsUnavailable, match="does not answer"):
        await client(refuse).request("GET", "/x")
    with pytest.raises(OpsUnavailable, match="no token"):
        await client(refuse, no_token).request("GET", "/x")
    with pytest.raises(OpsRefused, match="HTTP 418"):
        await client(lambda _: httpx.Response(418, text="teapot")).request("GET", "/x")
