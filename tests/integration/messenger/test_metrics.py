"""What /metrics says after deliveries went well, twice, badly, again, one too many, and not at all (MSG-14.1)."""

from __future__ import annotations

from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from tests.integration.messenger.household import BEN, Client, Place, envelope, notify
from tests.integration.messenger.test_dead_letters import blocked
from tests.support.mail.smtp_server import SmtpFault

ATTRIBUTES = {"channel", "intent", "identity_scope", "outcome", "error_class", "origin_butler"}
COUNTERS = (
    "delivery_requested",
    "delivery_deduplicated",
    "delivery_sent",
    "delivery_failed",
    "retry_attempt",
    "rate_limited",
    "admission_rejected",
)
HISTOGRAMS = ("delivery_latency_ms", "provider_latency_ms", "queue_wait_ms")


async def lived_through(place: Place, messenger: Client) -> None:
    """Of each kind of life one."""
    sent = notify("sent", idempotency_key="sent")
    for _ in range(2):
        first = await messenger.notify(sent)
        assert first.delivery is not None
        await place.until_status(first.delivery.delivery_id, "sent")
    blocked(place)
    ben = await messenger.notify(notify("refused", recipient=str(BEN), idempotency_key="refused"))
    assert ben.delivery is not None
    await place.until_status(ben.delivery.delivery_id, "failed")
    place.smtp.script(SmtpFault("rcpt", "drop", count=1))
    mail = await messenger.notify(notify("again", channel="email", idempotency_key="again"))
    assert mail.delivery is not None
    await place.until_status(mail.delivery.delivery_id, "sent")
    await messenger.execute(envelope(notify("one too many", idempotency_key="too many")))
    await messenger.execute(
        envelope(notify("to nobody", recipient="nobody at all", idempotency_key="nobody"))
    )


def samples(text: str, name: str) -> list[Sample]:
    """All samples of one of Messenger's metrics; those that a histogram counts by are left out."""
    families = text_string_to_metric_families(text)
    wanted = {f"butlers_messenger_{name}{end}" for end in ("_total", "_count", "_sum")}
    return [sample for family in families for sample in family.samples if sample.name in wanted]


def counted(text: str, name: str) -> list[tuple[str, str, str, float]]:
    """Channel, outcome, error class and number of each series of a counter, or of a histogram's count."""
    return sorted(
        (one.labels["channel"], one.labels["outcome"], one.labels["error_class"], one.value)
        for one in samples(text, name)
        if not one.name.endswith("_sum")
    )


@pytest.fixture
async def page(place: Place) -> str:
    async with place.messenger(limits={"per_minute": 10_000, "recipient_per_minute": 1}) as messenger:
        await lived_through(place, messenger)
        return (await messenger.get("/metrics")).text


@pytest.mark.spec("MSG-14.1")
async def test_every_delivery_is_counted_by_what_became_of_it(page: str) -> None:
    assert {name: counted(page, name) for name in COUNTERS} == {
        "delivery_requested": [("email", "requested", "", 1.0), ("telegram", "requested", "", 5.0)],
        "delivery_deduplicated": [("telegram", "sent", "", 1.0)],
        "delivery_sent": [("email", "sent", "", 1.0), ("telegram", "sent", "", 1.0)],
        "delivery_failed": [("telegram", "failed", "target_unavailable", 1.0)],
        "retry_attempt": [("email", "retry", "target_unavailable", 1.0)],
        "rate_limited": [("telegram", "rejected", "overload_rejected", 1.0)],
        "admission_rejected": [
            ("telegram", "rejected", "overload_rejected", 1.0),
            ("telegram", "rejected", "validation_error", 1.0),
        ],
    }


@pytest.mark.spec("MSG-14.1")
async def test_waiting_calls_and_whole_deliveries_are_timed(page: str) -> None:
    assert {name: counted(page, name) for name in HISTOGRAMS} == {
        "delivery_latency_ms": [
            ("email", "sent", "", 1.0),
            ("telegram", "failed", "target_unavailable", 1.0),
            ("telegram", "sent", "", 1.0),
        ],
        "provider_latency_ms": [
            ("email", "failed", "target_unavailable", 1.0),
            ("email", "sent", "", 1.0),
            ("telegram", "failed", "target_unavailable", 1.0),
            ("telegram", "sent", "", 1.0),
        ],
        "queue_wait_ms": [("email", "started", "", 1.0), ("telegram", "started", "", 2.0)],
    }
    sums = [one for name in HISTOGRAMS for one in samples(page, name) if one.name.endswith("_sum")]
    assert len(sums) == 9
    assert all(one.value >= 0 for one in sums)


@pytest.mark.spec("MSG-14.1")
async def test_every_series_has_the_six_attributes_and_no_id_address_or_text(page: str) -> None:
    labels: list[dict[str, Any]] = [
        one.labels for name in (*COUNTERS, *HISTOGRAMS) for one in samples(page, name)
    ]
    assert labels
    assert all(set(one) - {"dimension"} == ATTRIBUTES for one in labels)
    assert {one["identity_scope"] for one in labels} == {"bot"}
    assert {one["intent"] for one in labels} == {"send"}
    assert {one["origin_butler"] for one in labels} == {"finance"}
    names_and_labels = [line.rpartition(" ")[0] for line in page.splitlines()]  # a count may be 1002, too
    private = ("nobody at all", str(BEN), "ada@example.org", "sent twice")
    assert not [text for text in private if any(text in line for line in names_and_labels)]
