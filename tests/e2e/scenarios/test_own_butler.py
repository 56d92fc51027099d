"""The example of a butler of one's own on the cluster: applied, Ready, its lamp switched, and nothing else reached."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from butler_kit.runtime.commandline import COMMAND_LINES
from butler_resources.render.cluster import Party
from tests.e2e.cluster import ROOT, Cluster, eventually
from tests.e2e.household import Household
from tests.e2e.test_flows import Pod, image_of, opened, pods_of
from tests.support.home_servers import LAMPS_PORT, MODEL_PORT

NAME = "e2e-home-servers"
BUTLER = "home"
READY_S = 300.0
SOURCES = ("tests/__init__.py", "tests/support/__init__.py", "tests/support/loopback.py")
FOLDERS = ("tests/support/model_api", "examples/home")
LABELS = {"app": NAME}


def sources() -> list[Path]:
    """The servers' own code: the images have none of the tests' and examples' in them."""
    found = [ROOT / name for name in (*SOURCES, "tests/support/home_servers.py")]
    return found + [file for folder in FOLDERS for file in sorted((ROOT / folder).glob("*.py"))]


def servers(image: str) -> list[dict[str, Any]]:
    """A pod with the model and the lamps, its Service, and the policy that lets the household in."""
    files = {str(file.relative_to(ROOT)): file.read_text("utf-8") for file in sources()}
    keys = {path: path.replace("/", ".") for path in files}
    meta: dict[str, Any] = {"name": NAME, "labels": LABELS}
    container = {
        "name": "servers",
        "image": image,
        "command": ["python", "-m", "tests.support.home_servers"],
        "env": [
            {"name": "PYTHONPATH", "value": "/srv/code:/opt/butlers"},
            {"name": "TEST_PROVIDERS_LISTEN", "value": "0.0.0.0"},
        ],
        "readinessProbe": {"tcpSocket": {"port": LAMPS_PORT}, "periodSeconds": 1},
        "volumeMounts": [{"name": "code", "mountPath": "/srv/code", "readOnly": True}],
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
    }
    volume = {
        "name": "code",
        "configMap": {"name": NAME, "items": [{"key": key, "path": path} for path, key in keys.items()]},
    }
    spec = {
        "automountServiceAccountToken": False,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": 65532,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [container],
        "volumes": [volume],
    }
    ports = [{"name": f"p{port}", "port": port} for port in (MODEL_PORT, LAMPS_PORT)]
    policy = {
        "podSelector": {"matchLabels": LABELS},
        "policyTypes": ["Ingress"],
        "ingress": [{"from": [{"podSelector": {}}]}],
    }
    data = {keys[path]: text for path, text in files.items()}
    return [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data},
        {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec},
        {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": {"selector": LABELS, "ports": ports}},
        {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": meta, "spec": policy},
    ]  # fmt: skip


def needs_image_with(family: str) -> pytest.MarkDecorator:
    """Skips a case whose image `make up` was not asked for."""
    there = family in os.environ.get("COMMAND_LINES", "").split()
    return pytest.mark.skipif(not there, reason=f'make up COMMAND_LINES="{family}" loads its image')


def example(family: str) -> dict[str, Any]:
    """The example's manifest, at these servers."""
    document: dict[str, Any] = yaml.safe_load((ROOT / "examples" / "home" / "butler.yaml").read_text("utf-8"))
    spec = document["spec"]
    spec["runtime"] |= {"baseUrl": f"http://{NAME}:{MODEL_PORT}/v1", "model": "stub"}
    spec["tools"] = [{"name": "lamps", "url": f"http://{NAME}:{LAMPS_PORT}/mcp", "allow": ["list", "switch"]}]
    if family != "api":
        del spec["runtime"]["provider"]
        spec["runtime"]["family"] = family
        if COMMAND_LINES[family].provider == "anthropic":
            spec["runtime"]["baseUrl"] = f"http://{NAME}:{MODEL_PORT}"
        spec["pod"] = {"image": f"localhost/butlers-{family}:dev", "resources": {"limits": {"memory": "1Gi"}}}
    return document


@pytest.fixture(params=["api", *(pytest.param(one, marks=needs_image_with(one)) for one in COMMAND_LINES)])
def running(request: pytest.FixtureRequest, cluster: Cluster, home: Household) -> Iterator[Pod]:
    """The example's pod, Ready beside its servers."""
    image = image_of(cluster, next(pods_of(cluster, "app.kubernetes.io/component=specialist")))
    try:
        cluster.apply(*servers(image))
        cluster.kubectl(
            "wait", "--for=condition=Ready", f"pod/{NAME}", "--namespace", cluster.namespace,
            "--timeout=120s", timeout_s=130,
        )  # fmt: skip
        cluster.apply(example(request.param))
        cluster.ready(f"butler/{BUTLER}", timeout_s=READY_S)
        selector = f"app.kubernetes.io/component=specialist,app.kubernetes.io/instance={BUTLER}"
        yield eventually(lambda: list(pods_of(cluster, selector)), what="the pod of the butler home")[0]
    finally:
        where = ("--namespace", cluster.namespace, "--ignore-not-found")
        cluster.kubectl("delete", "butler", BUTLER, *where)
        for kind in ("pod", "service", "configmap", "networkpolicy"):
            cluster.kubectl("delete", kind, NAME, *where, "--wait=false")


@contextmanager
def listening(cluster: Cluster, *ports: int) -> Iterator[list[tuple[str, int]]]:
    """Listeners on this machine, outside of the cluster, as pods see them."""
    found = re.search(r"server: https://(\d+\.\d+\.\d+)\.\d+", cluster.kubeconfig.read_text("utf-8"))
    assert found is not None
    here = f"{found[1]}.1"
    with ExitStack() as stack:
        for port in ports:
            stack.enter_context(socket.create_server((here, port)))
        yield [(here, port) for port in ports]


def test_a_butler_that_a_manifest_alone_describes_switches_its_lamp_and_reaches_nothing_else(
    cluster: Cluster, home: Household, running: Pod
) -> None:
    asked = home.submit("Turn on the kitchen lamp")
    assert home.answer_to(asked)["reply"].endswith("The kitchen lamp is on.")
    logs = cluster.kubectl("logs", NAME, "--namespace", cluster.namespace)
    assert logs.count("switched: kitchen on") == 1
    assert (cluster.condition("butler", BUTLER, "ToolsReachable") or {}).get("status") == "True"
    [beside] = pods_of(cluster, f"app={NAME}")
    everybody = list(pods_of(cluster, "app.kubernetes.io/managed-by=butlers-operator"))
    others = {
        (pod.address, port): pod.party
        for pod in everybody
        if pod.name != running.name
        for _, port in pod.ports
    }
    mine = [(beside.address, MODEL_PORT), (beside.address, LAMPS_PORT)]
    with listening(cluster, MODEL_PORT, LAMPS_PORT) as (by_port, elsewhere):
        found = opened(cluster, running, [*mine, *others, (beside.address, 9), by_port, elsewhere])
    assert [found[one] for one in mine] == [True, True]
    assert {others[one] for one in others if found[one]} == {Party.SWITCHBOARD}
    # Of a model only the port is known; a tool server is named by its Service.
    assert (found[by_port], found[elsewhere]) == (True, False)
