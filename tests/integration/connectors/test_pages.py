"""What a connector shows on its own port, and what it says of that to a machine."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from butler_connectors.base.pages import PAGES
from butler_connectors.webhook.api import WEBHOOK
from tests.integration.connectors.fake_switchboard import FakeSwitchboard
from tests.integration.connectors.running import connector, page, ready
from tests.integration.connectors.test_telegram import TOKEN
from tests.integration.connectors.test_telegram import environment as telegram_environment
from tests.integration.connectors.test_webhook import ADA_TOKEN
from tests.integration.connectors.test_webhook import environment as webhook_environment
from tests.support.loopback import free_port
from tests.support.telegram_api.server import TelegramApiServer


@pytest.mark.spec("CNX-09.5")
async def test_a_connector_has_a_fastapi_server_with_health_and_metrics_on_its_health_port(
    switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    port = free_port()
    async with TelegramApiServer(token=TOKEN) as telegram:
        env = telegram_environment(telegram, switchboard, tmp_path, CONNECTOR_HEALTH_PORT=str(port))
        async with connector(env) as service, httpx.AsyncClient(trust_env=False, timeout=60) as client:
            await ready(service)
            health = await client.get(f"http://127.0.0.1:{port}/health")
            metrics = await client.get(f"http://127.0.0.1:{port}/metrics")
            described = (await client.get(f"http://127.0.0.1:{port}/openapi.json")).json()
    assert isinstance(PAGES, FastAPI)
    assert set(described["paths"]) == {"/health", "/healthz", "/readyz", "/metrics"}
    assert "security" not in described
    assert health.headers["content-type"] == "application/json"
    told = described["components"]["schemas"]["ConnectorHealth"]["required"]
    assert health.json().keys() == set(told)
    assert (health.json()["status"], health.json()["connector_type"]) == ("healthy", "telegram_bot")
    assert metrics.headers["content-type"].startswith("text/plain; version=")
    assert "# TYPE connector_ingest_submissions_total counter" in metrics.text


async def test_pages_need_no_token_and_what_is_not_there_is_refused_in_words(
    switchboard: FakeSwitchboard,
) -> None:
    async with connector(webhook_environment(switchboard, free_port())) as service:
        await ready(service)
        answers = {path: await page(service, path) for path in ("/healthz", "/readyz", "/health", "/docs")}
    assert [answer.status_code for answer in answers.values()] == [200, 200, 200, 404]
    assert answers["/docs"].json()["error"]["message"] == "there is no such path"


async def test_two_connectors_of_one_process_show_each_its_own_page(
    switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    async with TelegramApiServer(token=TOKEN) as telegram:
        one, other = (
            telegram_environment(telegram, switchboard, tmp_path),
            webhook_environment(switchboard, 0),
        )
        async with connector(one) as first, connector(other) as second:
            types = [(await page(service, "/health")).json()["connector_type"] for service in (first, second)]
    assert types == ["telegram_bot", "webhook"]


async def test_the_webhook_describes_itself_to_those_who_may_post(switchboard: FakeSwitchboard) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/v1/openapi.json"
    async with connector(webhook_environment(switchboard, port)) as service:
        await ready(service)
        async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
            stranger = await client.get(url)
            described = (await client.get(url, headers={"authorization": f"Bearer {ADA_TOKEN}"})).json()
    assert isinstance(WEBHOOK, FastAPI)
    assert stranger.status_code == 401
    assert stranger.headers["www-authenticate"].startswith("Bearer")
    assert described["security"] == [{"bearer": []}]
    post = described["paths"]["/v1/messages"]["post"]
    body = post["requestBody"]["content"]["application/json"]["schema"]
    assert set(body["required"]) == {"text", "sender"}
    assert set(post["responses"]) == {"202", "400", "401", "403", "408", "413", "415", "503"}
    assert set(described["paths"]["/v1/messages/{request_id}"]["get"]["responses"]) == {
        "200",
        "401",
        "404",
        "503",
    }
