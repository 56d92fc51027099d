"""What a platform team sets of a webhook: where it is published, and whom its TLS trusts; put back at the end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cluster import Cluster, eventually
from tests.support.certificates import Authority

NAME, CHILD, BUNDLE = "webhook", "connector-webhook", "e2e-authority"
RESYNC_S = 90
"""The operator of an end-to-end run looks again every 20 s; a loaded node is given several of them."""


@pytest.fixture
def edited(cluster: Cluster) -> Iterator[Any]:
    """Merges a change into the demo's webhook; everything is as before afterwards."""

    def merge(spec: dict[str, Any]) -> None:
        patch = json.dumps({"spec": spec})
        cluster.kubectl(
            *("patch", "connector", NAME, "--namespace", cluster.namespace),
            *("--type", "merge", "--patch", patch),
        )

    yield merge
    merge({"caBundleRef": None, "webhook": {"ingress": None}})
    cluster.kubectl("delete", "configmap", BUNDLE, "--namespace", cluster.namespace, "--ignore-not-found")
    cluster.ready(f"connector/{NAME}")


def test_an_ingress_is_made_told_and_taken_away_again(cluster: Cluster, edited: Any) -> None:
    edited({"webhook": {"ingress": {"host": "butlers.example.org", "tlsSecretName": "butlers-tls"}}})

    def url() -> str | None:
        status = (cluster.get("connector", NAME) or {}).get("status") or {}
        found: str | None = (status.get("webhook") or {}).get("url")
        return found

    eventually(url, timeout_s=60, what="the URL is in the status")
    assert url() == "https://butlers.example.org/v1/messages"
    ingress = eventually(lambda: cluster.get("ingress", CHILD), timeout_s=60, what="the Ingress is there")
    assert ingress is not None
    assert ingress["metadata"]["ownerReferences"][0]["name"] == NAME
    edited({"webhook": {"ingress": None}})
    eventually(lambda: cluster.get("ingress", CHILD) is None, timeout_s=60, what="the Ingress is gone")


def test_a_missing_bundle_is_told_and_a_good_one_reaches_the_pod(
    cluster: Cluster, edited: Any, tmp_path: Path
) -> None:
    edited({"caBundleRef": {"configMap": BUNDLE}})

    def missing() -> bool:
        found = cluster.condition("connector", NAME, "ResolvedRefs")
        return found is not None and found["reason"] == "CaBundleNotFound"

    eventually(missing, timeout_s=60, what="the missing bundle is a condition")
    text = Authority.make(tmp_path).file.read_text()
    cluster.apply(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": BUNDLE}, "data": {"ca.crt": text}}
    )

    def mounted() -> bool:
        deployment = cluster.get("deployment", CHILD) or {}
        volumes = deployment["spec"]["template"]["spec"]["volumes"]
        return any(volume["name"] == "authorities" for volume in volumes)

    eventually(mounted, timeout_s=RESYNC_S, what="the bundle is mounted")
    cluster.ready(f"connector/{NAME}")
