"""Every variable that a connector reads is written from its manifest, or has its reason (D76, CNX-10)."""

from __future__ import annotations

from typing import Any, Final

import pytest

from butler_connectors.base.settings import ConnectorEnvironment
from butler_connectors.imap.settings import ImapEnvironment
from butler_connectors.telegram_bot.settings import TelegramEnvironment
from butler_connectors.webhook.settings import WebhookEnvironment
from butler_resources.kinds import Connector, parse_object
from butler_resources.kinds.names import API_VERSION
from butler_resources.kinds.settings import DEFAULT, in_words
from butler_resources.render import Surroundings, render_connector_env
from butler_resources.render.cluster import Place
from butler_resources.render.cluster.networkpolicy import render_networkpolicy

PLACE = Surroundings(
    switchboard_url="http://127.0.0.1:40100/sse",
    jwks_file="/j",
    token_file="/t",
    revoked_file="/r",
    cursor_file="/c",
)
REF = {"name": "a", "key": "b"}
BLOCKS: Final[dict[str, dict[str, Any]]] = {
    "telegram_bot": {"telegramBot": {"tokenSecretRef": REF, "apiBaseUrl": "http://127.0.0.1:1"}},
    "imap": {"imap": {"host": "h", "username": "u", "passwordSecretRef": REF, "pollIntervalSeconds": 61}},
    "webhook": {"webhook": {"tokenSecretRef": REF}},
}
MODELS: Final[dict[str, type[ConnectorEnvironment]]] = {
    "telegram_bot": TelegramEnvironment,
    "imap": ImapEnvironment,
    "webhook": WebhookEnvironment,
}
INTERNAL: Final = {
    "BUTLERS_REPLICA": "who holds a lease: the place knows which process follows which",
    "CONNECTOR_BACKFILL_POLL_INTERVAL_S": "the pace at which a connector asks for backfill work, for tests",
    "CONNECTOR_HEARTBEAT_ENABLED": "for development only: without beats a connector is never online",
    "SWITCHBOARD_API_TOKEN": "a static token, for a connector that no place gives a token file",
    "TELEGRAM_STALL_TIMEOUT_S": "when a silent long poll counts as broken, for tests",
}
"""Variables without a field, and why."""
ONLY_IMAP: Final = "CONNECTOR_POLL_INTERVAL_S"
"""Read by the mailbox alone: a bot polls long, a webhook is called."""


def connector(kind: str, **spec: Any) -> Connector:
    whole = {"type": kind, "endpointIdentity": f"{kind}:home", **BLOCKS[kind], **spec}
    body = {"apiVersion": API_VERSION, "kind": "Connector", "metadata": {"name": "it"}, "spec": whole}
    return parse_object(Connector, body)


@pytest.mark.parametrize("kind", MODELS)
def test_every_variable_of_a_connector_is_written_from_its_manifest(kind: str) -> None:
    env = dict(render_connector_env(connector(kind), PLACE, health_port=1, webhook_port=2))
    if kind != "webhook":
        shared = connector(kind, checkpoint="switchboard", replicas=2)
        without_a_file = render_connector_env(shared, PLACE, health_port=1)
        assert "CONNECTOR_CURSOR_PATH" not in without_a_file
        env.update(without_a_file)
    read = {str(field.alias) for field in MODELS[kind].model_fields.values()} - set(INTERNAL)
    if kind != "imap":
        read.remove(ONLY_IMAP)
    if kind == "webhook":
        read -= {"CONNECTOR_CHECKPOINT"}  # it has nothing to resume
    assert sorted(read - set(env)) == []


def test_a_variable_that_is_left_out_exists() -> None:
    read = {field.alias for model in MODELS.values() for field in model.model_fields.values()}
    assert set(INTERNAL) <= read


def test_what_is_left_out_is_the_connector_s_own_default_and_the_words_name_it() -> None:
    plain = connector("imap", imap={"host": "h", "username": "u", "passwordSecretRef": REF})
    assert ONLY_IMAP not in render_connector_env(plain, PLACE, health_port=1)
    described = type(plain.spec.imap).model_fields["poll_interval_seconds"].description  # type: ignore[union-attr]
    default = ImapEnvironment.model_fields["poll_interval_s"].default
    assert str(described).partition(DEFAULT)[2] == f"{in_words(default)}."


def test_what_a_connector_logs_is_its_manifest_s_word() -> None:
    chatty = connector("webhook", telemetry={"logLevel": "debug", "logFormat": "console"})
    env = render_connector_env(chatty, PLACE, health_port=1, webhook_port=2)
    assert (env["BUTLERS_LOG_LEVEL"], env["BUTLERS_LOG_FORMAT"]) == ("debug", "console")


def test_a_connector_sends_its_spans_where_its_manifest_says() -> None:
    traced = connector("imap", telemetry={"otlpEndpoint": "http://collector.observability:4318"})
    env = render_connector_env(traced, PLACE, health_port=1)
    assert env["OTEL_EXPORTER_OTLP_ENDPOINT"] == "http://collector.observability:4318"
    silent = render_connector_env(connector("imap"), PLACE, health_port=1)
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" not in silent
    policy = render_networkpolicy(
        traced, Place("home", "i", "o"), {"uid": "u", "apiVersion": "v", "kind": "k", "name": "n"}
    )
    ports = [port["port"] for rule in policy["spec"]["egress"] for port in rule["ports"]]
    assert 4318 in ports
