"""Renders a butler's `butler.toml`: the same text on a cluster and on one machine.

Invariant: no value of a secret is in it; a credential is the name of an environment variable (MSG-11.1), and
the variable itself comes from `render.butler_env`.
"""

from __future__ import annotations

from typing import Any, Final

import tomli_w

from butler_resources.kinds import Butler, Manifests
from butler_resources.kinds.butler import Buffer, Routing, RoutingRule
from butler_resources.kinds.delivery import Delivery, EmailBot, Modules, TelegramBot
from butler_resources.render.profiles import capabilities_of, defaults_of, schema_of, triggers_of

__all__ = ["EMAIL_ADDRESS_ENV", "EMAIL_PASSWORD_ENV", "TELEGRAM_TOKEN_ENV", "render_butler_toml"]

TELEGRAM_TOKEN_ENV: Final = "BUTLER_TELEGRAM_TOKEN"  # noqa: S105 - the name of a variable
EMAIL_ADDRESS_ENV: Final = "BUTLER_EMAIL_ADDRESS"
EMAIL_PASSWORD_ENV: Final = "BUTLER_EMAIL_PASSWORD"  # noqa: S105 - the name of a variable

_ELIGIBILITY_SWEEP: Final = {
    "name": "eligibility-sweep",
    "cron": "*/5 * * * *",
    "dispatch_mode": "job",
    "job": "eligibility-sweep",
}


def render_butler_toml(butler: Butler, manifests: Manifests, *, port: int) -> str:
    """The text of `butler.toml` for `butler`, listening on `port`."""
    spec = butler.spec
    document: dict[str, Any] = {"butler": _butler(butler, manifests, port), "runtime": _runtime(butler)}
    if spec.buffer is not None:
        document["buffer"] = _buffer(spec.buffer)
    if spec.routing is not None and (routing := _routing(spec.routing)):
        document["routing"] = routing
    if spec.rollups is not None:
        document["rollups"] = {"engine": spec.rollups.engine}
    if spec.delivery is not None:
        document["delivery"] = _delivery(spec.delivery)
    if spec.modules is not None:
        document["modules"] = _modules(spec.modules)
    return tomli_w.dumps(document, multiline_strings=False)


def _butler(butler: Butler, manifests: Manifests, port: int) -> dict[str, Any]:
    spec = butler.spec
    section: dict[str, Any] = {
        "name": butler.name,
        "role": spec.role,
        "port": port,
        "description": defaults_of(butler).description,
        "schema": schema_of(butler),
        "timezone": spec.timezone,
        "triggers": list(triggers_of(butler)),
        "capabilities": list(capabilities_of(butler)),
    }
    if spec.profile is not None:
        section["profile"] = spec.profile
    if spec.role == "switchboard":
        section["schedule"] = [_ELIGIBILITY_SWEEP]
    else:
        callers = [switchboard.name for switchboard in manifests.with_role("switchboard")]
        section["security"] = {"trusted_route_callers": callers or ["switchboard"]}
    return section


def _runtime(butler: Butler) -> dict[str, Any]:
    runtime = butler.spec.runtime
    section: dict[str, Any] = {"family": runtime.family, "timeout_s": runtime.timeout_seconds}
    optional = {
        "model": runtime.model,
        "max_concurrent_sessions": runtime.max_concurrent_sessions,
        "fallback": runtime.fallback,
    }
    return section | {key: value for key, value in optional.items() if value is not None}


def _buffer(buffer: Buffer) -> dict[str, Any]:
    return {
        "queue_capacity": buffer.queue_capacity,
        "worker_count": buffer.worker_count,
        "scanner_interval_s": buffer.scanner_interval_seconds,
        "scanner_grace_s": buffer.scanner_grace_seconds,
        "scanner_batch_size": buffer.scanner_batch_size,
        "max_consecutive_same_tier": buffer.max_consecutive_same_tier,
        "overflow": buffer.overflow,
    }


def _routing(routing: Routing) -> dict[str, Any]:
    rules = sorted(routing.rules, key=lambda rule: rule.priority)
    section = {
        "trusted_authserv_ids": list(routing.trusted_authserv_ids),
        "trusted_endpoints": list(routing.trusted_endpoints),
        "rules": [_rule(rule) for rule in rules],
        "cost_per_thousand_messages_cents": routing.cost_per_thousand_messages_cents,
    }
    return {key: value for key, value in section.items() if value}


def _rule(rule: RoutingRule) -> dict[str, Any]:
    target = {} if rule.target is None else {"target": rule.target}
    return {"priority": rule.priority, "type": rule.type, "value": rule.value, "action": rule.action} | target


def _delivery(delivery: Delivery) -> dict[str, Any]:
    return {
        "allow_recipients": list(delivery.allow_recipients),
        "deny_recipients": list(delivery.deny_recipients),
        "max_in_flight": delivery.max_in_flight,
        "expires_after_s": delivery.expires_after_seconds,
    }


def _modules(modules: Modules) -> dict[str, Any]:
    section: dict[str, Any] = {}
    if modules.telegram is not None:
        section["telegram"] = {"bot": _telegram(modules.telegram.bot), "user": {"enabled": False}}
    if modules.email is not None:
        section["email"] = {"bot": _email(modules.email.bot), "user": {"enabled": False}}
    return section


def _telegram(bot: TelegramBot) -> dict[str, Any]:
    base = {} if bot.api_base_url is None else {"api_base_url": bot.api_base_url}
    return {"token_env": TELEGRAM_TOKEN_ENV} | base


def _email(bot: EmailBot) -> dict[str, Any]:
    section: dict[str, Any] = {
        "address_env": EMAIL_ADDRESS_ENV,
        "password_env": EMAIL_PASSWORD_ENV,
        "sent_autofile": bot.sent_autofile,
        "smtp": bot.smtp.model_dump(),
    }
    if bot.sent_mailbox is not None:
        section["sent_mailbox"] = bot.sent_mailbox.model_dump()
    return section
