from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace

import httpx
import psutil
import pytest

from butler_kit.service import PortUnavailable, ServiceApp
from butler_kit.service.app import DrainLimits
from butler_kit.service.checks import Readiness
from butler_kit.service.health import HealthPages
from butler_kit.telemetry import Metrics
from tests.support.otlp_collector import OtlpCollector

PROGRAM = Path(__file__).with_name("program.py")
Start = Callable[..., Awaitable[Process]]


@pytest.fixture
async def start() -> AsyncIterator[Start]:
    started: list[Process] = []

    async def begin(mode: str = "plain", port: int = 0, **env: str) -> Process:
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(PROGRAM), mode, str(port), stdout=PIPE, stderr=PIPE, env={**os.environ, **env}
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def read_until(process: Process, wanted: str) -> str:
    assert process.stdout is not None
    async with asyncio.timeout(60):
        while line := (await process.stdout.readline()).decode().strip():
            if line.startswith(wanted):
                return line
    raise AssertionError(f"the process ended without saying '{wanted}'")


async def serving(process: Process) -> str:
    port = (await read_until(process, "port ")).split()[1]
    return f"http://127.0.0.1:{port}"


async def ended(process: Process) -> tuple[int | None, list[str], str]:
    async with asyncio.timeout(60):
        out, err = await process.communicate()
    return process.returncode, out.decode().splitlines(), err.decode()


async def test_health_pages_tell_that_a_process_lives_and_serves(start: Start) -> None:
    process = await start()
    base = await serving(process)
    async with httpx.AsyncClient(base_url=base, trust_env=False, timeout=60) as client:
        assert (await client.get("/healthz")).json() == {"status": "ok"}
        ready = await client.get("/readyz")
        assert (ready.status_code, ready.json()) == (200, {"ready": True, "checks": {"database": "ok"}})
        page = (await client.get("/metrics")).text
        assert "butlers_service_ready 1.0" in page
        assert "butlers_service_event_loop_lag_ms" in page
        assert "process_resident_memory_bytes" in page


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_drains_in_order_and_exits_zero(start: Start, sign: signal.Signals) -> None:
    process = await start()
    base = await serving(process)
    async with httpx.AsyncClient(base_url=base, trust_env=False, timeout=60) as client:
        answer = asyncio.create_task(client.get("/slow", params={"seconds": 0.3}, timeout=30))
        await read_until(process, "request begun")
        process.send_signal(sign)
        assert (await answer).text == "answered"
    code, said, _ = await ended(process)
    assert code == 0
    assert said == ["draining", "worker drained", "second closed", "first closed"]


async def test_a_request_that_never_ends_does_not_hold_the_process(start: Start) -> None:
    process = await start()
    base = await serving(process)
    async with httpx.AsyncClient(base_url=base, trust_env=False, timeout=60) as client:
        answer = asyncio.create_task(client.get("/slow", params={"seconds": 3600}, timeout=60))
        await read_until(process, "request begun")
        process.send_signal(signal.SIGTERM)
        code, said, _ = await ended(process)
        await asyncio.gather(answer, return_exceptions=True)
    assert code == 0
    assert said[-3:] == ["worker drained", "second closed", "first closed"]


@pytest.mark.spec("SWB-42.1")
async def test_a_process_exports_its_metrics_a_last_time_when_everything_is_closed(start: Start) -> None:
    with OtlpCollector() as collector:
        process = await start(OTEL_EXPORTER_OTLP_ENDPOINT=collector.url)
        await serving(process)
        process.send_signal(signal.SIGTERM)
        code, said, _ = await ended(process)
        told = collector.metrics_of("butlers.program")
    assert (code, said[-1]) == (0, "first closed")
    assert told["butlers.service.ready"].gauge.data_points[0].as_double == 0
    assert collector.paths == ["/v1/metrics"]


async def test_a_collector_that_never_answers_does_not_hold_a_process_that_ends(start: Start) -> None:
    with OtlpCollector() as collector:
        collector.answering.clear()
        process = await start(OTEL_EXPORTER_OTLP_ENDPOINT=collector.url)
        await serving(process)
        process.send_signal(signal.SIGTERM)
        code, said, _ = await ended(process)
        assert not collector.answering.is_set()
    assert (code, said[-1]) == (0, "first closed")


async def test_a_fatal_crash_drains_and_exits_one(start: Start) -> None:
    code, said, err = await ended(await start("fatal"))
    assert code == 1
    assert said[-3:] == ["worker drained", "second closed", "first closed"]
    assert "the schema is gone" in err


async def test_a_signal_while_a_resource_still_opens_ends_the_process(start: Start) -> None:
    process = await start("hangs")
    await read_until(process, "second opening")
    process.send_signal(signal.SIGTERM)
    code, said, _ = await ended(process)
    assert (code, said) == (0, ["first closed"])


async def test_a_port_in_use_is_one_line_and_exit_one(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, said, err = await ended(await start("plain", port))
    assert (code, said) == (1, [])
    assert err.splitlines() == [
        f"error: cannot listen on 127.0.0.1 port {port}: Address already in use; "
        "stop the process that uses it, or set another port"
    ]


async def test_a_wrong_configuration_is_one_line_and_exit_one(start: Start) -> None:
    code, _, err = await ended(await start("misconfigured"))
    assert (code, err) == (1, "error: butler.toml: butler.port: is missing; add it\n")


async def test_an_empty_process_stays_small(start: Start) -> None:
    process = await start()
    await serving(process)
    assert psutil.Process(process.pid).memory_info().rss < 80 * 2**20


async def test_two_services_live_in_one_process_and_stop_apart() -> None:
    apps = [ServiceApp(name=n, host="127.0.0.1", port=0, metrics=Metrics([])) for n in ("one", "two")]
    runs = [asyncio.create_task(app.serve()) for app in apps]
    async with asyncio.timeout(90):
        await asyncio.gather(*(app.started.wait() for app in apps))
        apps[0].request_stop()
        assert await runs[0] == 0
        async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
            assert (await client.get(f"http://127.0.0.1:{apps[1].port}/healthz")).status_code == 200
            with pytest.raises(httpx.ConnectError):
                await client.get(f"http://127.0.0.1:{apps[0].port}/healthz")
        apps[1].request_stop()
        assert await runs[1] == 0


async def test_a_process_is_not_ready_for_a_named_reason() -> None:
    reasons: dict[str, str | None] = {"database": "no connection"}

    async def database() -> str | None:
        return reasons["database"]

    app = ServiceApp(
        name="one", host="127.0.0.1", port=0, metrics=Metrics([]), ready_checks={"database": database}
    )
    assert (await app.readiness()).checks == {"service": "starting"}
    run = asyncio.create_task(app.serve())
    async with asyncio.timeout(90), httpx.AsyncClient(trust_env=False, timeout=60) as client:
        await app.started.wait()
        url = f"http://127.0.0.1:{app.port}/readyz"
        refused = await client.get(url)
        assert (refused.status_code, refused.json()["checks"]) == (503, {"database": "no connection"})
        reasons["database"] = None
        assert (await client.get(url)).status_code == 200
        app.request_stop()
        assert (await app.readiness()).checks == {"service": "draining"}
        assert await run == 0


async def test_a_crowd_that_asks_at_once_whether_a_process_is_ready_costs_one_look() -> None:
    looks: list[int] = []
    may_end = asyncio.Event()

    async def readiness() -> Readiness:
        looks.append(1)
        await may_end.wait()
        return Readiness(True, {})

    [ready] = [route for route in HealthPages(readiness, Metrics([])).routes() if route.path == "/readyz"]
    asked = [asyncio.create_task(ready.endpoint(None)) for _ in range(50)]
    asked[0].cancel()
    await asyncio.wait({*asked[1:]}, timeout=0.05)
    may_end.set()
    answers = await asyncio.gather(*asked[1:])
    assert ({answer.status_code for answer in answers}, len(looks)) == ({200}, 1)
    assert (await ready.endpoint(None)).status_code == 200
    assert len(looks) == 2


async def test_a_resource_that_does_not_close_holds_nobody() -> None:
    closed: list[str] = []

    class Resource:
        def __init__(self, name: str, hangs: bool) -> None:
            self.name, self.hangs = name, hangs

        async def __aenter__(self) -> None: ...

        async def __aexit__(self, *_: object) -> None:
            if self.hangs:
                await asyncio.Event().wait()
            closed.append(self.name)

    app = ServiceApp(
        name="one",
        host="127.0.0.1",
        port=0,
        metrics=Metrics([]),
        resources=[Resource("pool", False), Resource("stuck", True)],
        limits=DrainLimits(close_s=0.05),
    )
    run = asyncio.create_task(app.serve())
    async with asyncio.timeout(90):
        await app.started.wait()
        app.request_stop()
        assert await run == 0
    assert closed == ["pool"]


async def test_a_taken_port_is_an_error_with_its_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        app = ServiceApp(name="x", host="127.0.0.1", port=taken.getsockname()[1], metrics=Metrics([]))
        with pytest.raises(PortUnavailable, match=str(app.port)):
            await app.serve()


async def test_a_server_that_nobody_asks_sleeps(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks: list[int] = []

    async def on_tick(_: object, counter: int) -> bool:
        ticks.append(counter)
        return False

    monkeypatch.setattr("uvicorn.Server.on_tick", on_tick)
    app = ServiceApp(name="one", host="127.0.0.1", port=0, metrics=Metrics([]))
    run = asyncio.create_task(app.serve())
    async with asyncio.timeout(90), httpx.AsyncClient(trust_env=False, timeout=60) as client:
        await app.started.wait()
        assert (await client.get(f"http://127.0.0.1:{app.port}/healthz")).status_code == 200
        app.request_stop()
        assert await run == 0
    assert ticks == []


async def test_every_answer_carries_the_date_of_its_own_second(monkeypatch: pytest.MonkeyPatch) -> None:
    second = 784_111_777
    monkeypatch.setattr("butler_kit.service.server.time", SimpleNamespace(time=lambda: float(second)))
    app = ServiceApp(name="one", host="127.0.0.1", port=0, metrics=Metrics([]))
    run = asyncio.create_task(app.serve())
    async with asyncio.timeout(90), httpx.AsyncClient(trust_env=False, timeout=60) as client:
        await app.started.wait()
        url = f"http://127.0.0.1:{app.port}/healthz"
        assert (await client.get(url)).headers["date"] == "Sun, 06 Nov 1994 08:49:37 GMT"
        second += 1
        assert (await client.get(url)).headers["date"] == "Sun, 06 Nov 1994 08:49:38 GMT"
        app.request_stop()
        assert await run == 0
