"""Choose the connector of a running household for which a typed message is submitted."""

from __future__ import annotations

from pathlib import Path

from butler_cli.client.envelopes import CONNECTOR_TYPE_OF
from butler_cli.client.household import RunningHousehold
from butler_cli.errors import UserError
from butler_cli.local.plan import running
from butler_cli.local.status import read_status
from butler_resources.kinds import Connector, load_manifests

__all__ = ["connector_for"]


def connector_for(household: RunningHousehold, channel: str) -> Connector:
    """Return the household's first connector of `channel`. Raises `UserError` naming the channels it has."""
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
