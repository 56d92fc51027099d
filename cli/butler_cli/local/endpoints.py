"""`endpoints.json`: where the household's services are, for people, scripts and the other verbs. Pure."""

from __future__ import annotations

from typing import Any

from butler_cli.local.plan import DASHBOARD, HOST
from butler_cli.local.ports import Ports
from butler_resources.kinds import Manifests

__all__ = ["endpoints_of"]


def endpoints_of(manifests: Manifests, *, ports: Ports, dsn: str) -> dict[str, Any]:
    """Return the document, once every process is ready; a part that the household lacks is null."""
    services = {butler.name: _service(ports.by_process[butler.name]) for butler in manifests.butlers}
    webhook = next(iter(ports.webhooks.values()), None)
    return {
        "switchboard": services.get("switchboard"),
        "messenger": services.get("messenger"),
        "butlers": services,
        "connectors": {
            connector.name: {"health": f"{_base(ports.by_process[connector.name])}/health"}
            for connector in manifests.connectors
        },
        "dashboard": _base(ports.by_process[DASHBOARD]),
        "database": {"dsn": dsn},
        "webhook": None if webhook is None else _base(webhook),
        **_providers(manifests),
    }


def _base(port: int) -> str:
    return f"http://{HOST}:{port}"


def _service(port: int) -> dict[str, str]:
    base = _base(port)
    return {
        "sse": f"{base}/sse",
        "mcp": f"{base}/mcp",
        "ops": f"{base}/ops/v1",
        "metrics": f"{base}/metrics",
    }


def _providers(manifests: Manifests) -> dict[str, str | None]:
    """Return what the household itself talks to: mail servers as `host:port`, the Bot API as a URL."""
    imap = next((c.spec.imap for c in manifests.connectors if c.spec.imap is not None), None)
    bots = (c.spec.telegram_bot for c in manifests.connectors if c.spec.telegram_bot is not None)
    telegram = next(bots, None)
    email = next(
        (b.spec.modules.email for b in manifests.butlers if b.spec.modules and b.spec.modules.email), None
    )
    return {
        "imap": None if imap is None else f"{imap.host}:{imap.port}",
        "smtp": None if email is None else f"{email.bot.smtp.host}:{email.bot.smtp.port}",
        "telegram_api": None if telegram is None else telegram.api_base_url or "https://api.telegram.org",
    }
