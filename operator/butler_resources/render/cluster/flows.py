"""Who talks to whom in a household: the one matrix that every NetworkPolicy here is rendered from.

Invariant: a connection that is not a flow is refused. docs/reference/flows.md shows the same table. Probes,
`kubectl logs` and `kubectl port-forward` come from the pod's own node, which a NetworkPolicy never refuses; the
chart's own pods (operator, database) have policies in the chart for their ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

__all__ = ["BUTLERS", "FLOWS", "HOUSEHOLD", "Flow", "Party", "Ports", "flows_from", "flows_to"]


class Party(StrEnum):
    """One end of a flow."""

    SWITCHBOARD = "Switchboard"
    MESSENGER = "Messenger"
    SPECIALIST = "specialist"
    CONNECTOR = "connector"
    SPARK = "Spark"
    OPERATOR = "operator"
    DASHBOARD = "dashboard"
    DATABASE = "PostgreSQL"
    DNS = "DNS server"
    KUBERNETES = "Kubernetes API"
    PROVIDER = "provider"
    SUBMITTER = "submitter"
    MONITORING = "monitoring"
    COLLECTOR = "collector"
    ANYWHERE = "anywhere"


class Ports(StrEnum):
    """The ports of a flow; numbers come from the manifest or the place."""

    HTTP = "the process's own port"
    WEBHOOK = "the webhook's port"
    DNS = "53 and 5353, UDP and TCP"
    DATABASE = "5432, or the place's"
    PROVIDER = "those in the manifest"
    API = "443 and 6443"
    ALL = "all TCP ports"
    COLLECTOR = "that of otlpEndpoint"
    EXTRA = "those the place opens"


BUTLERS: Final = (Party.SWITCHBOARD, Party.MESSENGER, Party.SPECIALIST)
HOUSEHOLD: Final = (*BUTLERS, Party.CONNECTOR)


@dataclass(frozen=True)
class Flow:
    """Connections that any of `sources` opens to any of `targets`."""

    name: str
    sources: tuple[Party, ...]
    targets: tuple[Party, ...]
    ports: Ports
    purpose: str


FLOWS: Final = (
    Flow("names", (*HOUSEHOLD, Party.SPARK), (Party.DNS,), Ports.DNS, "names of Services and of providers"),
    Flow("storage", BUTLERS, (Party.DATABASE,), Ports.DATABASE, "a butler's schema; its init step too"),
    Flow(
        "statistics",
        (Party.SPARK,),
        (Party.DATABASE,),
        Ports.DATABASE,
        "connector statistics in Switchboard's schema; the init step too",
    ),
    Flow(
        "intake",
        (Party.CONNECTOR,),
        (Party.SWITCHBOARD,),
        Ports.HTTP,
        "messages, heartbeats, backfill",
    ),
    Flow(
        "membership",
        (Party.MESSENGER, Party.SPECIALIST),
        (Party.SWITCHBOARD,),
        Ports.HTTP,
        "registration, heartbeats, notify, results",
    ),
    Flow(
        "dispatch",
        (Party.SWITCHBOARD,),
        (Party.MESSENGER, Party.SPECIALIST),
        Ports.HTTP,
        "route.execute, route.cancel, withdrawals",
    ),
    Flow(
        "operation",
        (Party.OPERATOR,),
        (Party.SWITCHBOARD, Party.MESSENGER),
        Ports.HTTP,
        "declarations, evidence, operations, backfill jobs",
    ),
    Flow(
        "acting",
        (Party.DASHBOARD,),
        (Party.SWITCHBOARD,),
        Ports.HTTP,
        "what a signed-in operator orders, when the place has any",
    ),
    Flow(
        "delivery",
        (Party.MESSENGER,),
        (Party.PROVIDER,),
        Ports.PROVIDER,
        "Bot API, SMTP, IMAP of sent mail, stores of files",
    ),
    Flow(
        "thinking",
        (Party.SWITCHBOARD, Party.SPECIALIST),
        (Party.PROVIDER,),
        Ports.PROVIDER,
        "a model's server, with runtime family api; a specialist's tool servers",
    ),
    Flow("source", (Party.CONNECTOR,), (Party.PROVIDER,), Ports.PROVIDER, "Bot API, IMAP"),
    Flow(
        "submission",
        (Party.SUBMITTER,),
        (Party.CONNECTOR,),
        Ports.WEBHOOK,
        "POST /v1/messages of type webhook",
    ),
    Flow("scraping", (Party.MONITORING,), HOUSEHOLD, Ports.HTTP, "/metrics, when the place says who"),
    Flow(
        "execution", (Party.SPARK,), (Party.SPARK,), Ports.ALL, "driver and executors, when the place has any"
    ),
    Flow("executors", (Party.SPARK,), (Party.KUBERNETES,), Ports.API, "a driver makes executors, as above"),
    Flow(
        "tracing",
        HOUSEHOLD,
        (Party.COLLECTOR,),
        Ports.COLLECTOR,
        "spans and metrics, when the manifest or its household names a collector",
    ),
    Flow("place", HOUSEHOLD, (Party.ANYWHERE,), Ports.EXTRA, "a proxy, a collector"),
)


def flows_from(party: Party) -> Iterator[Flow]:
    """Return the flows that `party` opens."""
    return (flow for flow in FLOWS if party in flow.sources)


def flows_to(party: Party) -> Iterator[Flow]:
    """Return the flows that `party` accepts."""
    return (flow for flow in FLOWS if party in flow.targets)
