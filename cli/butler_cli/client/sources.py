"""Which of a running household's connectors a typed message is submitted for."""

from __future__ import annotations

import tomllib
from pathlib import Path

from butler_cli.client.envelopes import CONNECTOR_TYPE_OF, LOCAL_AUTHSERV
from butler_cli.client.household import RunningHousehold
from butler_cli.errors import UserError
from butler_cli.local.plan import running
from butler_cli.local.status import read_status
from butler_resources.kinds import Connector, load_manifests

__all__ = ["connector_for", "trusted_authserv_id"]


def connector_for(household: RunningHousehold, channel: str) -> Connector:
    """The household's first connector of `channel`. Raises `UserError` naming the channels that it has."""
    status = read_status(household.state)
    if status is None:
        raise UserError(f"{household.state.status_file} does not say which manifests run; try again")
    manifests = running(load_manifests(Path(status.manifests)))
    wanted = CONNECTOR_TYPE_OF[channel]
    for connector in manifests.connectors:
        if connector.spec.type == wanted:
            return connector
    types = {connector.spec.type for connector in manifests.connectors}
    has = [name for name, kind in CONNECTOR_TYPE_OF.items() if kind in types]
    raise UserError(
        f"the household of {status.manifests} has no connector of type {wanted}, so nothing comes in by "
        f"{channel}; use --channel {' or '.join(has) or '(it has none)'}, or add a Connector"
    )


def trusted_authserv_id(household: RunningHousehold) -> str:
    """The name under which Switchboard believes a mail's proof: a configured one, else our own."""
    try:
        text = household.state.config_file("switchboard").read_text(encoding="utf-8")
        trusted = tomllib.loads(text).get("routing", {}).get("trusted_authserv_ids", [])
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, AttributeError):
        return LOCAL_AUTHSERV
    return str(trusted[0]) if isinstance(trusted, list) and trusted else LOCAL_AUTHSERV
