"""PURE: the processes of a household, from its manifests: what to run, with what, in which order.

Everything but the connectors starts side by side, and the connectors once every butler has registered: nothing is
read from a provider before everything that must take it in is ready. They stop in the reverse order of `Stage`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import groupby
from typing import Final

from butler_cli.local.keys import TokenGrant, grant_for_butler, grant_for_connector, switchboard_key_file
from butler_cli.local.ports import Ports
from butler_cli.local.state import StateDir
from butler_resources.kinds import Butler, Connector, Manifests, SecretRef
from butler_resources.render import (
    Environment,
    Surroundings,
    bundle_of,
    render_butler_env,
    render_connector_env,
    schema_of,
    timezone_of,
)
from butler_resources.render.thinking import model_key

__all__ = [
    "DASHBOARD",
    "DASHBOARD_DATABASE",
    "ProcessSpec",
    "Stage",
    "modules_of",
    "plan_processes",
    "referenced_secrets",
    "running",
    "stages_of",
]

HOST: Final = "127.0.0.1"
DASHBOARD: Final = "dashboard"
"""The name of the process; no butler or connector has it."""
DASHBOARD_DATABASE: Final = SecretRef(name="database-dashboard", key="url")
"""Where the place keeps the dashboard's database URL."""
PROGRAM_OF_ROLE: Final = {
    "switchboard": "butler_switchboard",
    "messenger": "butler_messenger",
    "specialist": "butler_specialist",
}


class Stage(IntEnum):
    """The order of importance; processes stop in the reverse of it, stage by stage."""

    SWITCHBOARD = 1
    MESSENGER = 2
    SPECIALISTS = 3
    CONNECTORS = 4
    DASHBOARD = 5


STAGE_OF_ROLE: Final = {
    "switchboard": Stage.SWITCHBOARD,
    "messenger": Stage.MESSENGER,
    "specialist": Stage.SPECIALISTS,
}


@dataclass(frozen=True)
class ProcessSpec:
    """One process to keep running; `ready_url` answers 200 when it can serve."""

    name: str
    stage: Stage
    argv: tuple[str, ...]
    env: Environment
    port: int
    ready_url: str
    grant: TokenGrant | None = None


def running(manifests: Manifests) -> Manifests:
    """Return the manifests without what is suspended; the backfill of a suspended connector waits with it."""
    stopped = {connector.name for connector in manifests.connectors if connector.spec.suspend}
    return Manifests(
        butlers=tuple(butler for butler in manifests.butlers if not butler.spec.suspend),
        connectors=tuple(connector for connector in manifests.connectors if not connector.spec.suspend),
        backfills=tuple(job for job in manifests.backfills if job.spec.connector_ref not in stopped),
        secrets=manifests.secrets,
        configmaps=manifests.configmaps,
    )


def plan_processes(
    manifests: Manifests, *, ports: Ports, state: StateDir, python: str
) -> tuple[ProcessSpec, ...]:
    """Return the processes of `manifests` (already without suspended ones), in the order of their start."""
    switchboard = next((butler.name for butler in manifests.with_role("switchboard")), "switchboard")
    url = f"http://{HOST}:{ports.by_process[switchboard]}/mcp"
    specs = [
        *(
            _butler(butler, ports, _surroundings(butler, manifests, state, url), state, python)
            for butler in manifests.butlers
        ),
        *(
            _connector(connector, ports, _surroundings(connector, manifests, state, url), python)
            for connector in manifests.connectors
        ),
        _dashboard(manifests, ports, state, python),
    ]
    return tuple(sorted(specs, key=lambda spec: spec.stage))


def modules_of(manifests: Manifests) -> tuple[str, ...]:
    """Return the modules that only processes of these manifests import, not those of every household."""
    types = {connector.spec.type for connector in manifests.connectors}
    modules = [f"butler_connectors.{kind}.app" for kind in sorted(types)]
    for messenger in manifests.with_role("messenger"):
        channels = messenger.spec.modules
        if channels is not None and channels.telegram is not None:
            modules.append("butler_messenger.delivery.channels.telegram")
        if channels is not None and channels.email is not None:
            modules.append("butler_messenger.delivery.channels.email")
    return tuple(modules)


def stages_of(specs: Sequence[ProcessSpec]) -> Iterator[tuple[Stage, tuple[ProcessSpec, ...]]]:
    """Yield the processes by stage, first to last."""
    for stage, members in groupby(specs, key=lambda spec: spec.stage):
        yield stage, tuple(members)


def referenced_secrets(manifests: Manifests) -> Iterator[tuple[str, SecretRef]]:
    """Yield every secret that the manifests require, with the resource that names it."""
    yield from _referenced_bundles(manifests)
    for butler in manifests.butlers:
        spec, owner = butler.spec, f"Butler {butler.name}"
        if spec.contacts_from is not None:
            yield owner, spec.contacts_from.secret_ref
        if spec.modules is not None and spec.modules.telegram is not None:
            yield owner, spec.modules.telegram.bot.token_secret_ref
        if spec.modules is not None and spec.modules.email is not None:
            yield owner, spec.modules.email.bot.password_secret_ref
        key = model_key(butler)
        if key is not None and spec.runtime.fallback is None:
            yield owner, key
        yield from ((owner, entry.secret_ref) for entry in spec.env)
    for connector in manifests.connectors:
        owner, block = f"Connector {connector.name}", connector.spec
        if block.telegram_bot is not None:
            yield owner, block.telegram_bot.token_secret_ref
        if block.imap is not None:
            yield owner, block.imap.password_secret_ref
        if block.webhook is not None:
            yield owner, block.webhook.token_secret_ref
        yield from ((owner, entry.secret_ref) for entry in block.env)


def _referenced_bundles(manifests: Manifests) -> Iterator[tuple[str, SecretRef]]:
    for resource in manifests.processes:
        bundle = bundle_of(resource, manifests.household)
        if bundle is not None and bundle.secret_ref is not None:
            yield f"{resource.kind} {resource.name}", bundle.secret_ref


def _surroundings(
    resource: Butler | Connector, manifests: Manifests, state: StateDir, switchboard_url: str
) -> Surroundings:
    name, bundle = resource.name, bundle_of(resource, manifests.household)
    return Surroundings(
        switchboard_url=switchboard_url,
        jwks_file=str(state.jwks_file),
        token_file=str(state.token_file(name)),
        revoked_file=str(state.revoked_file),
        host=HOST,
        signing_key_file=str(switchboard_key_file(state)),
        contacts_file=str(state.contacts_file),
        cursor_file=str(state.cursor_file(name)),
        instructions_file=str(state.instructions_file(name)),
        ca_file=None if bundle is None else str(state.authorities_file(name)),
        collector=manifests.household.collector,
    )


def _butler(
    butler: Butler, ports: Ports, surroundings: Surroundings, state: StateDir, python: str
) -> ProcessSpec:
    role, port = butler.spec.role, ports.by_process[butler.name]
    return ProcessSpec(
        name=butler.name,
        stage=STAGE_OF_ROLE[role],
        argv=(python, "-m", PROGRAM_OF_ROLE[role], "--config", str(state.config_file(butler.name))),
        env=render_butler_env(butler, surroundings),
        port=port,
        ready_url=f"http://{HOST}:{port}/readyz",
        grant=None if role == "switchboard" else grant_for_butler(butler),
    )


def _connector(connector: Connector, ports: Ports, surroundings: Surroundings, python: str) -> ProcessSpec:
    port = ports.by_process[connector.name]
    env = render_connector_env(
        connector,
        surroundings,
        health_port=port,
        webhook_port=ports.webhooks.get(connector.name),
    )
    return ProcessSpec(
        name=connector.name,
        stage=Stage.CONNECTORS,
        argv=(python, "-m", "butler_connectors"),
        env=env,
        port=port,
        ready_url=f"http://{HOST}:{port}/readyz",
        grant=grant_for_connector(connector),
    )


def _dashboard(manifests: Manifests, ports: Ports, state: StateDir, python: str) -> ProcessSpec:
    port = ports.by_process[DASHBOARD]
    env: dict[str, str | SecretRef] = {
        "BUTLERS_DATABASE_URL": DASHBOARD_DATABASE,
        "BUTLERS_JWKS_FILE": str(state.jwks_file),
        "BUTLERS_REVOKED_FILE": str(state.revoked_file),
        "BUTLERS_HOST": HOST,
        "BUTLERS_PORT": str(port),
        **_exporting(manifests, state),
    }
    for switchboard in manifests.with_role("switchboard"):
        env["BUTLERS_SWITCHBOARD_SCHEMA"] = schema_of(switchboard)
        env["BUTLERS_TIMEZONE"] = timezone_of(switchboard, manifests.household)
        env["BUTLERS_SWITCHBOARD_MCP_URL"] = f"http://{HOST}:{ports.by_process[switchboard.name]}/mcp"
    for messenger in manifests.with_role("messenger"):
        env["BUTLERS_MESSENGER_SCHEMA"] = schema_of(messenger)
    return ProcessSpec(
        name=DASHBOARD,
        stage=Stage.DASHBOARD,
        argv=(python, "-m", "butler_dashboard"),
        env=env,
        port=port,
        ready_url=f"http://{HOST}:{port}/readyz",
    )


def _exporting(manifests: Manifests, state: StateDir) -> dict[str, str]:
    """Return where the dashboard, which has no manifest, exports to, and whom it trusts there: the household's."""
    household = manifests.household
    if household.collector is None:
        return {}
    trusted = household.ca_bundle_ref is not None
    authorities = {"BUTLERS_CA_FILE": str(state.authorities_file(DASHBOARD))} if trusted else {}
    return {"OTEL_EXPORTER_OTLP_ENDPOINT": household.collector, **authorities}
