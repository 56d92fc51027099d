"""PURE: whether a webhook can be reached from outside, from its manifest and what a Gateway says of its route."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from butler_operator.reconcile.conditions import Condition, failed, passed, unknown
from butler_resources.kinds.conditions import ConditionType, Reason
from butler_resources.kinds.connector import Webhook
from butler_resources.render.cluster.exposure import published_at

__all__ = ["published"]


def published(webhook: Webhook, route: Mapping[str, Any] | None, *, gateway_api: bool) -> Condition | None:
    """`Published`; None for a webhook that asks for neither Ingress nor HTTPRoute."""
    url, type_ = published_at(webhook), ConditionType.PUBLISHED
    if url is None:
        return None
    if webhook.http_route is not None:
        if not gateway_api:
            text = "the cluster has no HTTPRoute (gateway.networking.k8s.io/v1); install it, or use `ingress`"
            return failed(type_, Reason.GATEWAY_API_MISSING, text)
        refused = _refused(route)
        if refused is not None:
            return failed(type_, Reason.ROUTE_REFUSED, f"a Gateway refuses the HTTPRoute: {refused}")
        if not _accepted(route):
            return unknown(type_, Reason.PENDING, f"no Gateway has taken the HTTPRoute for {url} yet")
    return passed(type_, Reason.PUBLISHED, f"posts are taken at {url}")


def _said(route: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    parents = ((route or {}).get("status") or {}).get("parents") or ()
    return [
        condition
        for parent in parents
        for condition in parent.get("conditions") or ()
        if condition.get("type") in ("Accepted", "ResolvedRefs")
    ]


def _refused(route: Mapping[str, Any] | None) -> str | None:
    words = (
        str(one.get("message") or one.get("reason")) for one in _said(route) if one.get("status") == "False"
    )
    return next(words, None)


def _accepted(route: Mapping[str, Any] | None) -> bool:
    return any(one["type"] == "Accepted" and one.get("status") == "True" for one in _said(route))
