"""Reading messages is a right of its own: what a real API server says to whoever wants the reader's token."""

from __future__ import annotations

import json
import subprocess
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bench.operator.plane import ADMIN, Plane, running_plane
from tests.support.helm import Helm
from tests.support.plane_site import require_programs

HOUSE, SYSTEM = "house", "butlers-system"
RBAC, AUTHORIZATION = "rbac.authorization.k8s.io", "authorization.k8s.io"
ADMISSION = "admissionregistration.k8s.io"
SILENT = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": [{"level": "None"}]}
READER = "ClusterRole butlers:butlers-system:reader gives the right to read messages"
VALUES = (
    f"--set=watchNamespaces={{{HOUSE}}}", "--set=dashboard.enabled=true",
    "--set-json=dashboard.operators=[{\"name\": \"ada\", \"user\": \"ada@example.org\"}]",
)  # fmt: skip
INSTALLED = (
    "ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
)  # fmt: skip


@dataclass(frozen=True)
class Cluster:
    """The chart's accounts, roles and policies, and people who are bound to one role each."""

    plane: Plane
    kubeconfig: Path

    def kubectl(self, *arguments: str, by: str, stdin: str = "") -> tuple[int, str]:
        """Exit code and everything that kubectl says to the user `by`."""
        command = [
            str(self.plane.binaries / "kubectl"),
            f"--kubeconfig={self.kubeconfig}",
            f"--namespace={HOUSE}",
        ]
        done = subprocess.run(
            [*command, f"--as={by}", *arguments], input=stdin, capture_output=True, text=True, timeout=30, check=False
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    def token(self, account: str, *more: str, by: str) -> tuple[int, str]:
        """What becomes of the wish for a token of `account`, good at Switchboard."""
        return self.kubectl("create", "token", account, "--audience=butlers.dev/switchboard", *more, by=by)

    def may(self, by: str, verb: str, resource: str, *, group: str = "", subresource: str = "") -> bool:
        """The API server's word about a right, also one that is no part of its API."""
        asked = {
            "namespace": HOUSE,
            "verb": verb,
            "group": group,
            "resource": resource,
            "subresource": subresource,
        }
        review = {"apiVersion": f"{AUTHORIZATION}/v1", "kind": "SelfSubjectAccessReview"}
        path = f"/apis/{AUTHORIZATION}/v1/selfsubjectaccessreviews"
        body = json.dumps({**review, "spec": {"resourceAttributes": asked}})
        _, said = self.kubectl("create", f"--raw={path}", "--filename=-", by=by, stdin=body)
        return bool(json.loads(said)["status"]["allowed"])


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[Cluster]:
    require_programs()
    async with running_plane(tmp_path / "plane", SILENT) as plane:
        helm = Helm(str(plane.binaries / "helm"), tmp_path)
        rendered = helm.render("butlers", *VALUES, namespace=SYSTEM)
        plane.apply([_object("v1", "Namespace", name) for name in (HOUSE, SYSTEM)])
        plane.apply([one for one in rendered.objects if one["kind"] in INSTALLED])
        plane.apply(
            [_bound("ana", "butlers:butlers-system:reader"), _bound("eve", "edit"), _bound("adam", "admin")]
        )
        found = Cluster(plane, plane.kubeconfig("people", ADMIN))
        _await_policies(found)
        yield found


def _object(api: str, kind: str, name: str, **more: Any) -> dict[str, Any]:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name}, **more}


def _bound(user: str, role: str) -> dict[str, Any]:
    binding = _object(
        f"{RBAC}/v1", "RoleBinding", user, roleRef={"apiGroup": RBAC, "kind": "ClusterRole", "name": role},
        subjects=[{"apiGroup": RBAC, "kind": "User", "name": user}],
    )  # fmt: skip
    binding["metadata"]["namespace"] = HOUSE
    return binding


def _await_policies(cluster: Cluster) -> None:
    """An API server takes a moment until it goes by a new policy and by roles that are gathered from others."""
    for _ in range(200):
        code, said = cluster.token("butlers-reader", by="eve")
        if "denied request" in said and cluster.token("butlers-reader", by="ana")[0] == 0:
            return
    pytest.fail(f"the policy does not count: {code} {said}")


POD = ("--bound-object-kind=Pod", "--bound-object-name=any")


async def test_who_may_edit_the_namespace_may_not_read_its_messages_and_a_reader_may(
    cluster: Cluster,
) -> None:
    code, said = cluster.token("butlers-reader", by="ana")
    assert (code, said.count(".")) == (0, 2), said
    for person in ("eve", "adam"):
        # The right to make tokens is theirs, and is not enough.
        assert cluster.may(person, "create", "serviceaccounts", subresource="token")
        code, said = cluster.token("butlers-reader", by=person)
        assert code != 0
        assert f"{person} may not get butlers/messages.butlers.dev in namespace house" in said
        assert READER in said
    code, said = cluster.token("default", by="eve")
    assert code == 0, "other accounts of the namespace are not the policy's business"

    assert cluster.may("ana", "get", "butlers", group="butlers.dev", subresource="messages")
    assert not cluster.may("eve", "get", "butlers", group="butlers.dev", subresource="messages")

    # Nobody gives the right who does not have it, and no pod runs as the reader.
    binding = ("create", "rolebinding", "mine", "--clusterrole=butlers:butlers-system:reader", "--user=adam")
    code, said = cluster.kubectl(*binding, by="adam")
    assert (code != 0, "butlers/messages" in said) == (True, True), said
    code, said = cluster.token("butlers-reader", *POD, by="ana")
    assert "no pod runs as the account of a reader or of a person" in said

    # Who acts for a person is that person alone.
    assert cluster.token("butlers-person-ada", by="ada@example.org")[0] == 0
    for person in ("eve", "ana"):
        assert cluster.token("butlers-person-ada", by=person)[0] != 0
    assert "eve may not act for ada in namespace house" in cluster.token("butlers-person-ada", by="eve")[1]

    # Nobody gets round it by being another account of the household, or by taking the policy away.
    code, said = cluster.token("butlers-reader", by=f"system:serviceaccount:{HOUSE}:butlers-reader")
    assert code != 0, said
    for policy in ("validatingadmissionpolicies", "validatingadmissionpolicybindings"):
        assert not cluster.may("adam", "delete", policy, group=ADMISSION)
