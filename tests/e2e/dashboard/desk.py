"""The demo household's dashboard with a person who acts on it, in two pods that a browser may meet in any order."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from tests.e2e.charts.release import CHART, INSTALLED
from tests.e2e.cluster import Cluster, eventually

__all__ = ["ACCOUNT", "STRANGER", "Desk", "Replica", "a_desk", "hidden", "token_for"]

ACCOUNT = "butlers-person-ada"
USER, STRANGER = "e2e-ada", "e2e-ben"
PORT = 40_200
READY_S = 240.0
KNOWN_S = 150.0
"""A kubelet shows a changed trust document to a pod within about a minute and a half."""
OFF: dict[str, Any] = {"enabled": False, "replicas": 1, "operators": []}
SELECTOR = "app.kubernetes.io/name=butlers-dashboard"


@dataclass(frozen=True)
class Replica:
    """One pod of the dashboard at a local port."""

    url: str

    @property
    def cookie_name(self) -> str:
        return f"butlers_session_{self.url.rpartition(':')[2]}"

    def browser(self, session: str | None = None) -> httpx.Client:
        """A browser, with a session that any replica may have opened."""
        cookies = {} if session is None else {self.cookie_name: session}
        return httpx.Client(
            base_url=self.url, headers={"accept": "text/html"}, cookies=cookies, timeout=30, trust_env=False
        )

    def link(self, token: str) -> httpx.Response:
        """What it answers to whoever wants a one-time link."""
        bearer = {"Authorization": f"Bearer {token}"}
        return httpx.post(f"{self.url}/login/once", headers=bearer, timeout=30, trust_env=False)

    def opened(self, path: str) -> str | None:
        """The session that a one-time link opens here; None when it opens none."""
        with self.browser() as http:
            return http.cookies.get(self.cookie_name) if http.get(path).status_code == 200 else None


@dataclass(frozen=True)
class Desk:
    """Both pods, and the person's token."""

    replicas: Sequence[Replica]
    token: str

    def session(self) -> str:
        """A session by a link that one replica makes and the other opens."""
        found = eventually(self._opened, timeout_s=KNOWN_S, pause_s=3, what="both replicas know the person")
        assert found is not None
        return found

    def _opened(self) -> str | None:
        first, second = self.replicas
        made = first.link(self.token)
        return second.opened(made.json()["path"]) if made.status_code == 201 else None


@contextlib.contextmanager
def a_desk(cluster: Cluster) -> Iterator[Desk]:
    """The dashboard with its person and two pods; afterwards it is as it was."""
    before = OFF | values_of(cluster)
    upgrade(cluster, {"enabled": True, "replicas": 2, "operators": [{"name": "ada", "user": USER}]})
    try:
        with contextlib.ExitStack() as stack:
            forwarded = [
                stack.enter_context(cluster.port_forward(f"pod/{pod}", PORT))[PORT] for pod in pods(cluster)
            ]
            replicas = [Replica(f"http://127.0.0.1:{port}") for port in forwarded]
            assert len(replicas) == 2
            yield Desk(replicas, token_for(cluster, ACCOUNT, user=USER))
    finally:
        upgrade(cluster, before)


def token_for(
    cluster: Cluster, account: str, *, user: str | None = None, receiver: str = "switchboard"
) -> str:
    """A token as `user` gets it; AssertionError with the words of the refusal."""
    acting = () if user is None else ("--as", user)
    return cluster.kubectl(
        "create", "token", account, "--namespace", cluster.namespace, f"--audience=butlers.dev/{receiver}",
        "--duration=10m", *acting,
    ).strip()  # fmt: skip


def values_of(cluster: Cluster) -> dict[str, Any]:
    """What the release was told of its dashboard."""
    name, where = INSTALLED
    done = cluster.run("helm", "get", "values", name, "--namespace", where, "--output", "json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout).get("dashboard") or {}
    return found


def upgrade(cluster: Cluster, dashboard: dict[str, Any]) -> None:
    name, where = INSTALLED
    done = cluster.run(
        "helm", "upgrade", name, str(CHART), "--namespace", where, "--reset-then-reuse-values",
        "--set-json", f"dashboard={json.dumps(dashboard)}", "--wait", "--timeout", f"{READY_S:g}s",
        timeout_s=READY_S + 20,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def pods(cluster: Cluster) -> list[str]:
    found = cluster.list("pods", selector=SELECTOR)
    return [pod["metadata"]["name"] for pod in found if "deletionTimestamp" not in pod["metadata"]]


def hidden(page: str, name: str) -> str:
    """The value of a form's field that nobody sees."""
    found = re.search(f'name="{name}" value="([^"]+)"', page)
    assert found is not None, f"no field {name}"
    return found.group(1)
