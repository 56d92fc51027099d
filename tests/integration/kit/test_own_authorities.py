"""A household's own certificate authorities, by real TLS: trusted besides the system's, for the right name only."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from telegram.error import NetworkError

from butler_kit.botapi import BotRequest, NeverReached
from butler_kit.telemetry import Metrics, configure_metrics, exported, otlp
from butler_kit.tls import CA_FILE
from tests.support.certificates import Authority
from tests.support.loopback import HOST
from tests.support.otlp_collector import OtlpCollector


@pytest.fixture
def private(tmp_path: Path) -> Authority:
    return Authority.make(tmp_path / "private", "company")


@asynccontextmanager
async def served(authority: Authority, address: str = HOST) -> AsyncIterator[str]:
    """An HTTP server that says yes to everything, with a certificate for `address`."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, HOST, 0, ssl=authority.server(address))
    async with server:
        yield f"https://{HOST}:{server.sockets[0].getsockname()[1]}/v1"


async def asked(url: str) -> tuple[int, bytes]:
    request = BotRequest(connections=2, connect_timeout_s=20.0, read_timeout_s=20.0)
    try:
        return await request.do_request(url, "POST")
    finally:
        await request.shutdown()


async def test_the_bot_api_of_a_private_authority_and_one_of_the_systems_are_both_reached(
    private: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    public = Authority.make(tmp_path / "public", "public")
    monkeypatch.setenv("SSL_CERT_FILE", str(public.file))
    monkeypatch.setenv(CA_FILE, str(private.file))
    async with served(private) as ours, served(public) as theirs:
        assert await asked(ours) == (200, b"{}")
        assert await asked(theirs) == (200, b"{}")


async def test_an_unknown_authority_and_another_name_are_refused_in_words(
    private: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(CA_FILE, raising=False)
    async with served(private) as url:
        with pytest.raises(NeverReached, match="its certificate is not trusted"):
            await asked(url)
    monkeypatch.setenv(CA_FILE, str(private.file))
    async with served(private, "127.0.0.2") as url:
        with pytest.raises(NeverReached, match="its certificate is for another name"):
            await asked(url)


async def test_a_bundle_that_is_gone_fails_the_call_and_not_the_process(
    private: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CA_FILE, str(tmp_path / "nowhere.pem"))
    async with served(private) as url:
        with pytest.raises(NetworkError):
            await asked(url)


async def test_spans_reach_a_collector_of_a_private_authority(private: Authority) -> None:
    session = otlp.trusting_session({CA_FILE: str(private.file)})
    async with served(private) as url, served(private, "127.0.0.2") as other:
        assert (await asyncio.to_thread(session.post, url, timeout=20)).status_code == 200
        with pytest.raises(OSError, match="certificate verify failed"):
            await asyncio.to_thread(session.post, other, timeout=20)


def test_metrics_reach_a_collector_of_a_private_authority_and_none_under_another_name(
    private: Authority,
) -> None:
    with OtlpCollector(tls=private.server()) as ours, OtlpCollector(tls=private.server("127.0.0.2")) as other:
        for collector in (ours, other):
            env = {otlp.ENDPOINT: collector.url, CA_FILE: str(private.file)}
            assert configure_metrics("messenger", env)
            try:
                with exported(Metrics([])):
                    pass
            finally:
                configure_metrics("messenger", {})
        assert ours.paths == ["/v1/metrics"]
        assert other.paths == []
