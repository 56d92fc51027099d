"""NetworkPolicies: only the flows of `flows.FLOWS` are allowed, and nothing at all for a pod not yet known.

No address range is guessed: destinations outside the cluster are allowed by port, a tool server inside it by its
namespace too. Ports of the household's own pods are named, so that `spec.port` changes no policy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from butler_resources.kinds import Butler, Connector
from butler_resources.kinds.names import (
    LABEL_COMPONENT,
    LABEL_MANAGED_BY,
    LABEL_NAME,
    LABEL_PART_OF,
    MANAGED_BY,
    PART_OF,
)
from butler_resources.render.cluster.exposure import webhook_peers
from butler_resources.render.cluster.flows import Flow, Party, Ports, flows_from, flows_to
from butler_resources.render.cluster.names import metadata_of, selector_of
from butler_resources.render.cluster.place import Place
from butler_resources.render.cluster.toolpeers import NAMESPACE_NAME, located, port_of_url, unlocated_ports
from butler_resources.render.environment import collector_of
from butler_resources.render.modules_toml import calendar_secret
from butler_resources.render.thinking import asked

__all__ = [
    "DEFAULT_DENY",
    "party_of",
    "provider_ports",
    "render_default_deny",
    "render_networkpolicy",
    "spark_rules",
]

API: Final = "networking.k8s.io/v1"
DEFAULT_DENY: Final = "butlers-default-deny"
DNS_PORTS: Final = (53, 5353)
"""5353 is what the DNS pods of several clusters listen on, and a policy sees the pod's port."""
DATABASE_PORT: Final = 5432
API_PORTS: Final = (443, 6443)
EXECUTORS_ONLY: Final = (Ports.ALL, Ports.API)
TELEGRAM_API: Final = "https://api.telegram.org"

Rule = dict[str, Any]


def party_of(resource: Butler | Connector) -> Party:
    """Return the party that `resource` is in the flow matrix."""
    if isinstance(resource, Connector):
        return Party.CONNECTOR
    return {
        "switchboard": Party.SWITCHBOARD,
        "messenger": Party.MESSENGER,
        "specialist": Party.SPECIALIST,
    }[resource.spec.role]


def render_networkpolicy(
    resource: Butler | Connector, place: Place, owner: Mapping[str, str]
) -> dict[str, Any]:
    """Render which connections the pods of `resource` may open and accept."""
    party = party_of(resource)
    takes = (_ingress(flow, resource, place) for flow in flows_to(party))
    opens = [_egress(flow, resource, place) for flow in flows_from(party)]
    rules = {
        "ingress": [rule for rule in takes if rule],
        "egress": [*(rule for rule in opens if rule), *_tool_rules(resource, place)],
    }
    return {
        "apiVersion": API,
        "kind": "NetworkPolicy",
        "metadata": metadata_of(resource, place.namespace, owner),
        "spec": {
            "podSelector": {"matchLabels": selector_of(resource)},
            "policyTypes": ["Ingress", "Egress"],
            # The API server keeps no empty list.
            **{side: allowed for side, allowed in rules.items() if allowed},
        },
    }


def spark_rules(switchboard: Butler, place: Place) -> dict[str, list[Rule]]:
    """Return `ingress` and `egress` of the pods that compute statistics on Spark, without empty lists."""
    party = Party.SPARK
    opens = (_egress(flow, switchboard, place) for flow in flows_from(party))
    takes = (_ingress(flow, switchboard, place) for flow in flows_to(party))
    rules = {"ingress": [rule for rule in takes if rule], "egress": [rule for rule in opens if rule]}
    return {side: allowed for side, allowed in rules.items() if allowed}


def render_default_deny(place: Place) -> dict[str, Any]:
    """Deny the household's pods everything that no other policy allows."""
    return {
        "apiVersion": API,
        "kind": "NetworkPolicy",
        "metadata": {
            "name": DEFAULT_DENY,
            "namespace": place.namespace,
            "labels": {
                LABEL_NAME: DEFAULT_DENY,
                LABEL_PART_OF: PART_OF,
                LABEL_MANAGED_BY: MANAGED_BY,
            },
        },
        "spec": {
            "podSelector": {"matchLabels": {LABEL_MANAGED_BY: MANAGED_BY}},
            "policyTypes": ["Ingress", "Egress"],
        },
    }


def provider_ports(resource: Butler | Connector) -> tuple[int, ...]:
    """Return the TCP ports on which providers that the manifest names are reached wherever they are, in order."""
    if isinstance(resource, Connector):
        found = _source_ports(resource)
    else:
        found = chain(
            _channel_ports(resource),
            _calendar_ports(resource),
            _attachment_ports(resource),
            _model_ports(resource),
            unlocated_ports(resource),
        )
    return tuple(sorted(set(found)))


def _source_ports(connector: Connector) -> Iterator[int]:
    spec = connector.spec
    if spec.telegram_bot is not None:
        yield port_of_url(spec.telegram_bot.api_base_url or TELEGRAM_API)
    if spec.imap is not None:
        yield spec.imap.port


def _channel_ports(butler: Butler) -> Iterator[int]:
    modules = butler.spec.modules
    if modules is not None and modules.telegram is not None:
        yield port_of_url(modules.telegram.bot.api_base_url or TELEGRAM_API)
    if modules is not None and modules.email is not None:
        yield modules.email.bot.smtp.port
        if modules.email.bot.sent_mailbox is not None:
            yield modules.email.bot.sent_mailbox.port
        if modules.email.bot.inbox is not None:
            yield modules.email.bot.inbox.port


def _calendar_ports(butler: Butler) -> Iterator[int]:
    """Yield the ports of Messenger's calendar, once it has a secret."""
    if calendar_secret(butler) is not None and butler.spec.modules is not None:
        calendar = butler.spec.modules.calendar
        # Google's access tokens come over https, whichever API server it is.
        if calendar is not None and calendar.provider != "caldav":
            yield port_of_url("https://")
        if calendar is not None and calendar.url is not None:
            yield port_of_url(calendar.url)


def _attachment_ports(butler: Butler) -> Iterator[int]:
    modules = butler.spec.modules
    if modules is not None and modules.attachments is not None:
        yield from (port_of_url(origin) for origin in modules.attachments.origins)


def _model_ports(butler: Butler) -> Iterator[int]:
    # Without a baseUrl it is the provider's own service, by https.
    yield from (port_of_url(one.base_url or "https://") for one in asked(butler))


def _collector_ports(resource: Butler | Connector, place: Place) -> Iterator[int]:
    collector = collector_of(resource.spec.telemetry, place.household.collector)
    if collector is not None:
        yield port_of_url(collector)


def _tool_rules(resource: Butler | Connector, place: Place) -> Iterator[Rule]:
    """Yield a rule for each tool server whose address says where in the network it is."""
    if isinstance(resource, Butler):
        for peer, port in located(resource, place.namespace):
            yield {"ports": _tcp([port]), "to": [peer]}


def _egress(flow: Flow, resource: Butler | Connector, place: Place) -> Rule | None:
    if flow.ports in EXECUTORS_ONLY and place.spark.executor_account is None:
        return None
    if flow.ports is Ports.ALL:
        return {"to": [_household_peer(target) for target in flow.targets]}
    ports = _egress_ports(flow, resource, place)
    if not ports:
        return None
    peers = [peer for target in flow.targets for peer in _targets(target, resource, place)]
    return {"ports": ports, "to": peers} if peers else {"ports": ports}


def _egress_ports(flow: Flow, resource: Butler | Connector, place: Place) -> list[Rule]:
    if flow.ports is Ports.HTTP:
        return [_named("http")]
    if flow.ports is Ports.DNS:
        return [{"port": port, "protocol": name} for port in DNS_PORTS for name in ("UDP", "TCP")]
    if flow.ports is Ports.DATABASE:
        return _tcp([DATABASE_PORT if _own_database(resource) else place.database_port])
    if flow.ports is Ports.API:
        return _tcp(API_PORTS)
    if flow.ports is Ports.PROVIDER:
        return _tcp(provider_ports(resource))
    if flow.ports is Ports.COLLECTOR:
        return _tcp(_collector_ports(resource, place))
    return _tcp(sorted(set(place.extra_egress_ports)))


def _targets(party: Party, resource: Butler | Connector, place: Place) -> list[Rule]:
    """Return the peers that `party` stands for; empty means by port alone."""
    if party is Party.DATABASE and place.database_pods and not _own_database(resource):
        return [{"podSelector": {"matchLabels": dict(place.database_pods)}}]
    return [_household_peer(party)] if party in HOUSEHOLD_LABELS else []


def _own_database(resource: Butler | Connector) -> bool:
    """Whether the manifest names a database, whose address only its Secret has."""
    return isinstance(resource, Butler) and resource.spec.external_database is not None


def _ingress(flow: Flow, resource: Butler | Connector, place: Place) -> Rule | None:
    if flow.ports is Ports.ALL:
        sources = {"from": [_household_peer(source) for source in flow.sources]}
        return sources if place.spark.executor_account is not None else None
    if flow.ports is Ports.WEBHOOK:
        webhook = resource.spec.webhook if isinstance(resource, Connector) else None
        if webhook is None:
            return None
        peers = webhook_peers(webhook)
        return {"ports": [_named("webhook")]} | ({"from": peers} if peers else {})
    if Party.MONITORING in flow.sources and place.metrics_namespace is None:
        return None
    if Party.DASHBOARD in flow.sources and not place.dashboard_pods:
        return None
    return {"ports": [_named("http")], "from": [_source(party, place) for party in flow.sources]}


def _source(party: Party, place: Place) -> Rule:
    if party is Party.OPERATOR:
        return _namespaced(place.operator_namespace) | {
            "podSelector": {"matchLabels": dict(place.operator_pods)}
        }
    if party is Party.DASHBOARD:
        return {"podSelector": {"matchLabels": dict(place.dashboard_pods)}}
    if party is Party.MONITORING:
        return _namespaced(place.metrics_namespace or "")
    return _household_peer(party)


def _household_peer(party: Party) -> Rule:
    return {"podSelector": {"matchLabels": dict(HOUSEHOLD_LABELS[party])}}


def _namespaced(namespace: str) -> Rule:
    return {"namespaceSelector": {"matchLabels": {NAMESPACE_NAME: namespace}}}


def _named(name: str) -> Rule:
    return {"port": name, "protocol": "TCP"}


def _tcp(ports: Iterable[int]) -> list[Rule]:
    return [{"port": port, "protocol": "TCP"} for port in ports]


def _labels(name: str, component: str | None = None) -> dict[str, str]:
    labels = {LABEL_NAME: name, LABEL_MANAGED_BY: MANAGED_BY}
    return labels if component is None else labels | {LABEL_COMPONENT: component}


HOUSEHOLD_LABELS: Final[Mapping[Party, Mapping[str, str]]] = {
    Party.SWITCHBOARD: _labels("butler", "switchboard"),
    Party.MESSENGER: _labels("butler", "messenger"),
    Party.SPECIALIST: _labels("butler", "specialist"),
    Party.CONNECTOR: _labels("connector"),
    Party.SPARK: _labels("rollups"),
}
