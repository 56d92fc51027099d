"""The household's own certificate authorities: said once for all, by a resource for itself, mounted for every TLS."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from butler_cli.local.authorities import authority_problems, write_authorities
from butler_cli.local.plan import referenced_secrets
from butler_cli.local.secrets import Secrets
from butler_cli.local.state import StateDir
from butler_resources.kinds import Butler, Connector, ManifestError, SecretRef, parse_manifests
from butler_resources.kinds.ca_bundle import bundle_problem
from butler_resources.render.cluster import references, render_butler, render_connector
from butler_resources.render.cluster.rollups import render_rollups
from tests.support.certificates import Authority
from tests.unit.resources.render.households import PLACE

API = "apiVersion: butlers.dev/v1alpha1"
FILE = "/etc/butlers/authorities/ca.crt"
OWNER = {"apiVersion": "butlers.dev/v1alpha1", "kind": "Butler", "name": "switchboard", "uid": "u"}
HOUSEHOLD = f"""
{API}
kind: Butler
metadata: {{name: switchboard}}
spec:
  role: switchboard
  rollups: {{engine: spark}}
  household: {{caBundleRef: {{configMap: company-ca}}}}
---
{API}
kind: Butler
metadata: {{name: finance}}
spec: {{role: specialist, profile: finance, caBundleRef: {{secret: own-ca, key: tls.pem}}}}
---
{API}
kind: Connector
metadata: {{name: mail}}
spec:
  type: imap
  endpointIdentity: imap:home
  imap: {{host: mail.company.example, username: u, passwordSecretRef: {{name: mail, key: password}}}}
"""


def parsed(text: str = HOUSEHOLD) -> Any:
    return parse_manifests({"household.yaml": text})


def place() -> Any:
    return replace(PLACE, household=parsed().household)


def pod_of(objects: Any) -> dict[str, Any]:
    spec: dict[str, Any] = objects[-1]["spec"]["template"]["spec"]
    return spec


def rendered(resource: Butler | Connector) -> dict[str, Any]:
    render: Any = render_butler if isinstance(resource, Butler) else render_connector
    return pod_of(render(resource, place(), owner=OWNER, inputs={}))


def sees(container: dict[str, Any]) -> bool:
    """Whether a container has the bundle."""
    return any(mount["name"] == "authorities" for mount in container["volumeMounts"])


def told(container: dict[str, Any]) -> bool:
    return {"name": "BUTLERS_CA_FILE", "value": FILE} in container.get("env", [])


def volume(pod: dict[str, Any]) -> dict[str, Any]:
    (found,) = [dict(one) for one in pod["volumes"] if one["name"] == "authorities"]
    return found


def test_one_setting_serves_butlers_connectors_and_the_step_before_them() -> None:
    switchboard, mail = rendered(parsed().butler("switchboard")), rendered(parsed().connectors[0])
    for pod in (switchboard, mail):
        items = [{"key": "ca.crt", "path": "ca.crt"}]
        assert volume(pod)["configMap"] == {"name": "company-ca", "items": items}
    containers = [*switchboard["initContainers"], *switchboard["containers"], *mail["containers"]]
    assert len(containers) == 3
    assert all(sees(container) and told(container) for container in containers)


def test_a_resource_has_its_own_instead_and_its_secret_is_a_reference() -> None:
    finance = parsed().butler("finance")
    secret = volume(rendered(finance))["secret"]
    assert (secret["secretName"], secret["items"]) == ("own-ca", [{"key": "tls.pem", "path": "ca.crt"}])
    assert SecretRef(name="own-ca", key="tls.pem") in references(finance, place())
    assert references(parsed().connectors[0], place()) == (SecretRef(name="mail", key="password"),)


def test_a_secret_that_the_household_names_is_a_reference_of_every_resource() -> None:
    household = parsed(HOUSEHOLD.replace("configMap: company-ca", "secret: company-ca")).household
    theirs = references(parsed().connectors[0], replace(PLACE, household=household))
    assert SecretRef(name="company-ca", key="ca.crt") in theirs


@pytest.mark.parametrize("spark_operator", [False, True])
def test_statistics_verify_the_database_by_it_too(spark_operator: bool) -> None:
    switchboard = parsed().butler("switchboard")
    made = render_rollups(switchboard, place(), owner=OWNER, spark_operator=spark_operator)[-1]["spec"]
    pod = (
        made["template"]["driver"]["template"]["spec"]
        if spark_operator
        else made["jobTemplate"]["spec"]["template"]["spec"]
    )
    (init,), (process,) = pod["initContainers"], pod["containers"]
    assert sees(init)
    assert told(init)
    assert sees(process)
    assert volume(pod)["configMap"]["name"] == "company-ca"


def test_without_one_nothing_is_mounted() -> None:
    plain = parsed(HOUSEHOLD.replace("  household: {caBundleRef: {configMap: company-ca}}", ""))
    pod = pod_of(render_butler(plain.butler("switchboard"), PLACE, owner=OWNER, inputs={}))
    assert not any(sees(container) or told(container) for container in pod["containers"])


@pytest.mark.parametrize("ref", ["{}", "{configMap: a, secret: b}"])
def test_a_bundle_is_in_exactly_one_place(ref: str) -> None:
    with pytest.raises(ManifestError, match="a CA bundle needs exactly one of"):
        parsed(HOUSEHOLD.replace("{configMap: company-ca}", ref))


def test_what_is_no_bundle_of_certificates_is_said(tmp_path: Path) -> None:
    good = Authority.make(tmp_path).file.read_text()
    assert bundle_problem(good) is None
    assert bundle_problem(f"# die häusliche Stelle\n{good}{good}") is None
    assert "is empty" in (bundle_problem(" \n") or "")
    assert "no certificate" in (bundle_problem("hello") or "")
    assert "no certificate" in (bundle_problem(good.replace("MII", "!!!")) or "")
    assert "private key" in (bundle_problem("-----BEGIN PRIVATE KEY-----\n") or "")


def locally(tmp_path: Path, text: str) -> tuple[Any, Secrets, StateDir]:
    state, manifests = StateDir.at(tmp_path / "state"), parsed(text)
    state.create()
    return (
        manifests,
        Secrets(state, {"BUTLERS_SECRET_OWN_CA_TLS_PEM": good_bundle(tmp_path)}, manifests),
        state,
    )


def good_bundle(tmp_path: Path) -> str:
    return Authority.make(tmp_path).file.read_text()


def configmap(tmp_path: Path, text: str) -> str:
    data = "".join(f"    {line}\n" for line in text.splitlines())
    return (
        f"{HOUSEHOLD}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: company-ca}}\n"
        f"data:\n  ca.crt: |\n{data}"
    )


def test_on_one_machine_it_is_a_config_map_or_a_secret_among_the_manifests(tmp_path: Path) -> None:
    good = good_bundle(tmp_path)
    manifests, secrets, state = locally(tmp_path, configmap(tmp_path, good))
    assert authority_problems(manifests, secrets) == []
    assert ("Butler finance", SecretRef(name="own-ca", key="tls.pem")) in [*referenced_secrets(manifests)]
    write_authorities(manifests, secrets, state)
    assert state.authorities_file("mail").read_text().strip() == good.strip()
    assert state.authorities_file("dashboard").read_text().strip() == good.strip()
    assert "BEGIN CERTIFICATE" in state.authorities_file("finance").read_text()


def test_on_one_machine_a_bundle_that_cannot_be_used_is_told_before_anything_starts(tmp_path: Path) -> None:
    for text, words in (
        (HOUSEHOLD, "no ConfigMap company-ca"),
        (configmap(tmp_path, "hello"), "no certificate"),
    ):
        manifests, secrets, _ = locally(tmp_path, text)
        problems = [str(problem) for problem in authority_problems(manifests, secrets)]
        assert len(problems) == 2
        assert all(words in problem for problem in problems)
