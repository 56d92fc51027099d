"""What the operator shows of itself on its own ports."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from aiohttp.test_utils import make_mocked_request

from butler_operator.control.pages import pages, serve_pages
from butler_operator.metrics import OperatorMetrics


@pytest.mark.parametrize(("problems", "ready"), [([], "1.0"), (["task queue has ended"], "0.0")])
def test_it_is_ready_while_it_works(problems: list[str], ready: str) -> None:
    runtime: Any = SimpleNamespace(metrics=OperatorMetrics(), queue=SimpleNamespace(depth=lambda: 0))
    answer: Any = pages(runtime, lambda: problems)(cast(Any, make_mocked_request("GET", "/metrics")))
    assert f"\nbutlers_service_ready {ready}\n" in answer.body.decode()


async def test_every_answer_ends_its_connection_so_that_nobody_asks_on_one_whose_life_is_over(
    unused_tcp_port_factory: Callable[[], int],
) -> None:
    ports = unused_tcp_port_factory(), unused_tcp_port_factory()
    settings = SimpleNamespace(health_port=ports[0], metrics_port=ports[1])
    runtime: Any = SimpleNamespace(
        metrics=OperatorMetrics(), queue=SimpleNamespace(depth=lambda: 0), settings=settings
    )
    serving = asyncio.create_task(serve_pages(runtime, list))
    try:
        reader, writer = await _connected(ports[1])
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: operator\r\n\r\n")
        async with asyncio.timeout(10):
            answer = await reader.read()
        assert b"\r\nConnection: close\r\n" in answer
        assert answer.endswith(b'"queue": 0}')
        writer.close()
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


async def _connected(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    async with asyncio.timeout(10):
        while True:
            try:
                return await asyncio.open_connection("127.0.0.1", port)
            except ConnectionRefusedError:
                await asyncio.sleep(0.01)
