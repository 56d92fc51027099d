"""Where an endpoint is set, a collector gets spans and metrics of every process of a household."""

from __future__ import annotations

import pytest

from tests.support.household import Place
from tests.support.otlp_collector import OtlpCollector

pytestmark = pytest.mark.xdist_group("household")
SERVICES = {
    "butlers.switchboard", "butlers.messenger", "butlers.finance", "butlers.dashboard",
    "butlers.connector-telegram_bot", "butlers.connector-imap", "butlers.connector-webhook",
}  # fmt: skip


@pytest.mark.spec("SWB-42.1")
async def test_every_process_of_a_household_exports_its_metrics_and_the_last_of_them_at_its_end(
    fresh_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    with OtlpCollector() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        async with fresh_place.up() as running:
            await running.back({})
            answer = await running.post("exported-1", {"text": "Paid 12 EUR for a taxi", "sender": "ada"})
            assert answer is not None
            assert answer.status_code == 202
    assert {one["service.name"] for one in collector.resources()} >= SERVICES
    assert set(collector.paths) == {"/v1/traces", "/v1/metrics"}
    told = collector.metrics_of("butlers.switchboard")
    received = told["butlers.switchboard.message_received"].sum.data_points
    assert sum(point.as_double for point in received) >= 1
    assert told["butlers.switchboard.ingress_accept_latency_ms"].histogram.data_points[0].count >= 1
