"""Render the environment of a connector's process (CNX-10): identity, transport, limits, and its block."""

from __future__ import annotations

from butler_resources.kinds import Connector, SecretRef
from butler_resources.kinds.connector import ConnectorSpec, Imap, TelegramBotSource, Webhook
from butler_resources.render.environment import (
    Environment,
    Surroundings,
    authorities_environment,
    collector_environment,
    logging_environment,
)
from butler_resources.render.profiles import source_of

__all__ = ["render_connector_env"]


def render_connector_env(
    connector: Connector, surroundings: Surroundings, *, health_port: int, webhook_port: int | None = None
) -> Environment:
    """Return the environment of `connector`; secrets as references; `webhook_port` only for type webhook."""
    spec = connector.spec
    provider, channel = source_of(connector)
    env: dict[str, str | SecretRef] = {
        "SWITCHBOARD_MCP_URL": surroundings.switchboard_url,
        "BUTLERS_TOKEN_FILE": surroundings.token_file,
        "BUTLERS_HOST": surroundings.host,
        **logging_environment(spec.telemetry, surroundings),
        **collector_environment(spec.telemetry, surroundings),
        **authorities_environment(surroundings),
        "CONNECTOR_TYPE": spec.type,
        "CONNECTOR_PROVIDER": provider,
        "CONNECTOR_CHANNEL": channel,
        "CONNECTOR_ENDPOINT_IDENTITY": spec.endpoint_identity,
        "CONNECTOR_HEALTH_PORT": str(health_port),
        "CONNECTOR_MAX_INFLIGHT": str(spec.max_inflight),
        "CONNECTOR_HEARTBEAT_INTERVAL_S": str(spec.heartbeat_interval_seconds),
        "CONNECTOR_START": spec.start,
        "CONNECTOR_MAX_TIER": spec.max_tier,
        "CONNECTOR_SENDERS_ALLOW": ",".join(spec.senders.allow),
        "CONNECTOR_SENDERS_SKIP": ",".join(spec.senders.skip),
    }
    if spec.checkpoint == "switchboard":
        env["CONNECTOR_CHECKPOINT"] = spec.checkpoint
    elif surroundings.cursor_file is not None:
        env["CONNECTOR_CURSOR_PATH"] = surroundings.cursor_file
    return env | _block(spec, webhook_port) | {entry.name: entry.secret_ref for entry in spec.env}


def _block(spec: ConnectorSpec, webhook_port: int | None) -> dict[str, str | SecretRef]:
    if spec.telegram_bot is not None:
        return _telegram(spec.telegram_bot)
    if spec.imap is not None:
        return _imap(spec.imap)
    return _webhook(spec.webhook, webhook_port) if spec.webhook is not None else {}


def _telegram(source: TelegramBotSource) -> dict[str, str | SecretRef]:
    base: dict[str, str | SecretRef] = (
        {} if source.api_base_url is None else {"TELEGRAM_API_BASE_URL": source.api_base_url}
    )
    return base | {
        "TELEGRAM_BOT_TOKEN": source.token_secret_ref,
        "TELEGRAM_POLL_TIMEOUT_S": str(source.poll_timeout_seconds),
    }


def _imap(source: Imap) -> dict[str, str | SecretRef]:
    poll: dict[str, str | SecretRef] = (
        {}
        if source.poll_interval_seconds is None
        else {"CONNECTOR_POLL_INTERVAL_S": f"{source.poll_interval_seconds:g}"}
    )
    return poll | {
        "IMAP_HOST": source.host,
        "IMAP_PORT": str(source.port),
        "IMAP_TLS": source.tls,
        "IMAP_USERNAME": source.username,
        "IMAP_PASSWORD": source.password_secret_ref,
        "IMAP_MAILBOX": source.mailbox,
    }


def _webhook(source: Webhook, port: int | None) -> dict[str, str | SecretRef]:
    return {"WEBHOOK_PORT": str(port or source.port), "WEBHOOK_TOKENS": source.token_secret_ref}
