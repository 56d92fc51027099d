"""Every pod of a household: the restricted profile, what it sees, and how it begins and ends."""

from typing import Any

import pytest

from butler_kit.config import ButlerConfig, parse_config
from butler_kit.service import DrainLimits
from butler_messenger.settings import MessengerConfig
from butler_resources.kinds import Butler, Connector
from butler_resources.kinds.pod import LEAST_GRACE_S, HouseholdPod
from butler_resources.render.cluster import Place
from butler_resources.render.cluster.pod import PRE_STOP_S
from tests.unit.resources.render.households import (
    PLACE,
    Manifest,
    changed,
    child,
    containers,
    demo,
    env_of,
    one,
    render,
    template,
)

EVERY = [pytest.param(resource, id=f"{resource.kind} {resource.name}") for resource in demo()]
BUTLERS = [pytest.param(found, id=found.name) for found in demo() if isinstance(found, Butler)]
CONNECTORS = [pytest.param(found, id=found.name) for found in demo() if isinstance(found, Connector)]
RESTRICTED_VOLUMES = {"configMap", "emptyDir", "projected", "secret", "persistentVolumeClaim"}


def violations(pod: Manifest) -> list[str]:
    """What Pod Security's profile restricted refuses in a pod template (the standard's list of controls)."""
    spec, found = pod["spec"], []
    for host in ("hostNetwork", "hostPID", "hostIPC"):
        found += [host] if spec.get(host) else []
    for volume in spec["volumes"]:
        found += [f"volume {kind}" for kind in set(volume) - {"name"} - RESTRICTED_VOLUMES]
    for container in containers(pod):
        security = container["securityContext"]
        wanted = {
            "allowPrivilegeEscalation": False,
            "runAsNonRoot": True,
            "capabilities": {"drop": ["ALL"]},
            "seccompProfile": {"type": "RuntimeDefault"},
        }
        found += [
            f"{container['name']}: {key}" for key, value in wanted.items() if security.get(key) != value
        ]
        found += [
            f"{container['name']}: hostPort" for port in container.get("ports", []) if "hostPort" in port
        ]
    return found + (["root"] if spec["securityContext"].get("runAsUser") == 0 else [])


@pytest.mark.parametrize("resource", EVERY)
@pytest.mark.parametrize("run_as", [65532, None])
def test_every_pod_keeps_the_restricted_profile(resource: Any, run_as: int | None) -> None:
    place = Place(namespace="n", image="i", operator_namespace="o", run_as=run_as)
    pod = template(resource, place)
    assert violations(pod) == []
    assert [one["securityContext"]["readOnlyRootFilesystem"] for one in containers(pod)] == [True] * len(
        containers(pod)
    )


def test_the_list_of_violations_finds_them() -> None:
    pod = template(one("finance"))
    pod["spec"]["hostNetwork"] = True
    pod["spec"]["volumes"].append({"name": "host", "hostPath": {"path": "/"}})
    del pod["spec"]["containers"][0]["securityContext"]["capabilities"]
    assert violations(pod) == ["hostNetwork", "volume hostPath", "butler: capabilities"]


@pytest.mark.parametrize("resource", EVERY)
def test_no_pod_gets_a_token_for_the_api_server_or_variables_of_services(resource: Any) -> None:
    pod = template(resource)["spec"]
    assert pod["automountServiceAccountToken"] is False
    assert child(resource, "ServiceAccount")["automountServiceAccountToken"] is False
    assert pod["serviceAccountName"] == child(resource, "ServiceAccount")["metadata"]["name"]
    assert pod["enableServiceLinks"] is False


@pytest.mark.parametrize("resource", EVERY)
def test_volumes_are_mounted_whole_and_none_is_there_for_nothing(resource: Any) -> None:
    pod = template(resource)
    mounts = [mount for container in containers(pod) for mount in container["volumeMounts"]]
    assert {mount["name"] for mount in mounts} == {volume["name"] for volume in pod["spec"]["volumes"]}
    assert [mount for mount in mounts if "subPath" in mount] == []
    assert {mount["name"] for mount in mounts if not mount.get("readOnly")} <= {
        "tmp",
        "database",
        "checkpoint",
    }


def mounted(container: Manifest) -> set[str]:
    return {mount["name"] for mount in container["volumeMounts"]}


@pytest.mark.parametrize("butler", BUTLERS)
def test_only_the_init_step_sees_the_database_administrator(butler: Any) -> None:
    pod = template(butler)["spec"]
    (provision,), (service,) = pod["initContainers"], pod["containers"]
    assert "database-admin" in mounted(provision)
    assert "database-admin" not in mounted(service)
    assert "env" not in provision
    assert mounted(provision) & {"token", "signing", "contacts", "trust"} == set()
    assert env_of(butler)["BUTLERS_DATABASE_URL_FILE"] == "/run/butlers/database/url"
    assert "BUTLERS_DATABASE_URL" not in env_of(butler)


@pytest.mark.parametrize("butler", BUTLERS)
def test_who_reads_the_administrator_s_url_is_the_installation_whatever_the_manifest_says(
    butler: Any,
) -> None:
    said = {
        "image": "x.test/evil:1",
        "imagePullPolicy": "Always",
        "volumes": [
            {"name": "work", "emptyDir": {"sizeLimit": "1Mi"}},
            {"name": "ca", "configMap": {"name": "ca"}},
        ],
        "volumeMounts": [{"name": "work", "mountPath": "/work"}, {"name": "ca", "mountPath": "/etc/ca"}],
    }
    pod = template(changed(butler, pod=said))["spec"]
    (provision,), (service,) = pod["initContainers"], pod["containers"]
    assert (provision["image"], provision["imagePullPolicy"]) == ("localhost/butlers:dev", "IfNotPresent")
    assert (service["image"], service["imagePullPolicy"]) == ("x.test/evil:1", "Always")
    # Nothing that the pod's process may write is a program of the next init step, which runs in the same pod.
    assert mounted(service) - mounted(provision) >= {"extra-work"}
    assert "extra-ca" in mounted(provision)
    assert provision["command"][:5] == ["python", "-P", "-s", "-m", "butler_provision"]


@pytest.mark.parametrize("butler", BUTLERS)
def test_the_url_passes_from_the_init_step_in_memory(butler: Any) -> None:
    pod = template(butler)["spec"]
    (volume,) = (found for found in pod["volumes"] if found["name"] == "database")
    assert volume["emptyDir"]["medium"] == "Memory"
    command = pod["initContainers"][0]["command"]
    options = dict(zip(command[5::2], command[6::2], strict=True))
    assert options == {
        "--config": "/etc/butlers/config/butler.toml",
        "--admin-url-file": "/run/butlers/admin/url",
        "--url-file": env_of(butler)["BUTLERS_DATABASE_URL_FILE"],
        "--termination-log": "/dev/termination-log",
        "--uid": "u-1",
    }


def test_a_database_of_its_own_replaces_the_place_s_for_that_butler() -> None:
    own = changed(one("health"), database={"secretRef": {"name": "health-app", "key": "uri"}})
    (volume,) = (found for found in template(own)["spec"]["volumes"] if found["name"] == "database-admin")
    assert volume["secret"]["secretName"] == "health-app"
    assert volume["secret"]["items"] == [{"key": "uri", "path": "url"}]
    assert "butlers-postgresql" not in str(render(own))


@pytest.mark.spec("CNX-16.2")
@pytest.mark.parametrize("resource", EVERY)
def test_only_switchboard_signs_and_all_others_show_a_token_of_an_hour(resource: Any) -> None:
    pod, env = template(resource)["spec"], env_of(resource)
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    if resource.name == "switchboard":
        assert volumes["signing"]["secret"]["secretName"] == "switchboard-signing"
        assert env["BUTLERS_SIGNING_KEY_FILE"] == "/etc/butlers/signing/signing.pem"
        assert "token" not in volumes
        assert {"BUTLERS_TOKEN_FILE", "SWITCHBOARD_MCP_URL"} & set(env) == set()
        return
    (source,) = volumes["token"]["projected"]["sources"]
    assert source["serviceAccountToken"] == {
        "audience": "butlers.dev/switchboard",
        "expirationSeconds": 3600,
        "path": "switchboard",
    }
    assert env["BUTLERS_TOKEN_FILE"] == "/var/run/butlers/tokens/switchboard"
    assert env["SWITCHBOARD_MCP_URL"] == "http://butler-switchboard.household.svc:40100/mcp"
    assert "signing" not in volumes
    assert "BUTLERS_SIGNING_KEY_FILE" not in env


@pytest.mark.parametrize("butler", BUTLERS)
def test_every_butler_reads_who_may_vouch_from_one_directory(butler: Any) -> None:
    pod, env = template(butler)["spec"], env_of(butler)
    (trust,) = (volume for volume in pod["volumes"] if volume["name"] == "trust")
    assert trust["configMap"] == {"name": "butlers-trust"}
    assert env["BUTLERS_JWKS_FILE"] == "/etc/butlers/trust/jwks.json"
    assert env["BUTLERS_SUBJECTS_FILE"] == "/etc/butlers/trust/subjects.json"
    assert env["BUTLERS_REVOKED_FILE"] == "/etc/butlers/trust/revoked.json"


def test_contacts_reach_messenger_alone_and_as_a_file() -> None:
    holders = [
        found.name for found in demo() if "contacts" in mounted(template(found)["spec"]["containers"][0])
    ]
    assert holders == ["messenger"]
    assert env_of(one("messenger"))["BUTLERS_CONTACTS_FILE"] == "/etc/butlers/contacts/contacts.yaml"
    (volume,) = (
        found for found in template(one("messenger"))["spec"]["volumes"] if found["name"] == "contacts"
    )
    assert volume["secret"]["items"] == [{"key": "contacts.yaml", "path": "contacts.yaml"}]


@pytest.mark.parametrize("butler", BUTLERS)
def test_a_replica_s_name_is_the_pod_s_uid_which_no_two_processes_share(butler: Any) -> None:
    assert env_of(butler)["BUTLERS_REPLICA"] == {"fieldRef": {"fieldPath": "metadata.uid"}}
    assert len(template(butler)["spec"]["containers"]) == 1


@pytest.mark.parametrize("butler", BUTLERS)
def test_the_service_accepts_what_its_pod_gives_it(butler: Any) -> None:
    text = child(butler, "ConfigMap")["data"]["butler.toml"]
    env = {name: value if isinstance(value, str) else "a value" for name, value in env_of(butler).items()}
    program = MessengerConfig if butler.spec.role == "messenger" else ButlerConfig
    config = parse_config(text, "butler.toml", program, env)
    (process,) = template(butler)["spec"]["containers"]
    assert process["ports"][0]["containerPort"] == config.butler.port
    assert process["command"][:4] == ["python", "-m", PROGRAMS[butler.spec.role], "--config"]
    assert env["BUTLERS_HOST"] == "0.0.0.0"


PROGRAMS = {
    "switchboard": "butler_switchboard",
    "messenger": "butler_messenger",
    "specialist": "butler_specialist",
}


def test_the_grace_is_longer_than_the_longest_drain() -> None:
    limits = DrainLimits()
    resources_closed_one_after_the_other = 4
    drain = limits.intake_s + 1 + limits.background_s + resources_closed_one_after_the_other * limits.close_s
    assert PRE_STOP_S + drain < LEAST_GRACE_S
    for resource in demo():
        assert template(resource)["spec"]["terminationGracePeriodSeconds"] == LEAST_GRACE_S


@pytest.mark.parametrize("resource", EVERY)
def test_alive_is_the_event_loop_alone_and_ready_is_everything(resource: Any) -> None:
    (process,) = template(resource)["spec"]["containers"]
    paths = {
        name: process[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "readiness", "liveness")
    }
    assert paths == {"startup": "/healthz", "readiness": "/readyz", "liveness": "/healthz"}
    limits = [process["resources"][key]["memory"] for key in ("requests", "limits")]
    assert all(limits)


@pytest.mark.parametrize("resource", [*BUTLERS, pytest.param(one("webhook"), id="webhook")])
def test_whoever_a_service_leads_to_serves_on_until_it_is_forgotten(resource: Any) -> None:
    (process,) = template(resource)["spec"]["containers"]
    assert process["lifecycle"] == {"preStop": {"sleep": {"seconds": PRE_STOP_S}}}


def test_butlers_are_replaced_without_a_gap_and_connectors_never_overlap() -> None:
    for resource in demo():
        strategy = child(resource, "Deployment")["spec"]["strategy"]
        if isinstance(resource, Butler):
            assert strategy["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}
        elif resource.spec.webhook is not None:
            # It keeps nothing of its own, so two at once take posts side by side.
            assert strategy["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}
            assert "PersistentVolumeClaim" not in {one["kind"] for one in render(resource)}
        else:
            assert strategy == {"type": "Recreate"}
            assert child(resource, "Deployment")["spec"]["replicas"] == 1


@pytest.mark.parametrize("name", ["finance", "mail"])
def test_a_suspended_resource_keeps_everything_but_its_pods(name: str) -> None:
    resource = one(name)
    suspended = changed(resource, suspend=True)
    assert child(suspended, "Deployment")["spec"]["replicas"] == 0
    assert [found["kind"] for found in render(suspended)] == [found["kind"] for found in render(resource)]
    assert template(suspended) == template(resource)


@pytest.mark.parametrize(("replicas", "suspend", "budgets"), [(1, False, 0), (2, False, 1), (2, True, 0)])
def test_only_several_replicas_get_a_budget(replicas: int, suspend: bool, budgets: int) -> None:
    butler = changed(one("finance"), replicas=replicas, suspend=suspend)
    found = [spec["spec"] for spec in render(butler) if spec["kind"] == "PodDisruptionBudget"]
    assert len(found) == budgets
    assert {(spec["maxUnavailable"], spec["unhealthyPodEvictionPolicy"]) for spec in found} <= {
        (1, "AlwaysAllow")
    }


def test_a_stream_and_its_messages_reach_the_same_switchboard() -> None:
    affinity = {found.name: child(found, "Service")["spec"].get("sessionAffinity") for found in demo()[:7]}
    assert {name for name, kind in affinity.items() if kind == "ClientIP"} == {"switchboard"}


def test_a_butler_keeps_its_address_when_its_process_takes_another_port() -> None:
    moved = changed(one("finance"), port=8443)
    assert child(moved, "Service") == child(one("finance"), "Service")
    assert child(moved, "NetworkPolicy") == child(one("finance"), "NetworkPolicy")
    assert template(moved)["spec"]["containers"][0]["ports"][0]["containerPort"] == 8443


def test_a_low_port_is_made_free_inside_the_pod() -> None:
    low = template(changed(one("finance"), port=443))["spec"]["securityContext"]
    assert low["sysctls"] == [{"name": "net.ipv4.ip_unprivileged_port_start", "value": "443"}]
    assert "sysctls" not in template(one("finance"))["spec"]["securityContext"]


@pytest.mark.parametrize("connector", CONNECTORS)
def test_a_source_resumes_from_a_volume_of_its_own(connector: Any) -> None:
    claims = [found for found in render(connector) if found["kind"] == "PersistentVolumeClaim"]
    (process,) = template(connector)["spec"]["containers"]
    if connector.spec.type == "webhook":
        assert (claims, "checkpoint" in mounted(process)) == ([], False)
        assert "CONNECTOR_CURSOR_PATH" not in env_of(connector)
        return
    (claim,) = claims
    assert "storageClassName" not in claim["spec"]
    (volume,) = (v for v in template(connector)["spec"]["volumes"] if v["name"] == "checkpoint")
    assert volume["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]
    assert env_of(connector)["CONNECTOR_CURSOR_PATH"] == "/var/lib/butlers/cursor.json"


def test_a_webhook_on_the_health_port_moves_the_health_pages() -> None:
    token = {"tokenSecretRef": {"name": "webhook", "key": "token"}}
    env = env_of(changed(one("webhook"), webhook=token | {"port": 40190}))
    assert (env["WEBHOOK_PORT"], env["CONNECTOR_HEALTH_PORT"]) == ("40190", "40191")
    assert (env_of(one("webhook"))["WEBHOOK_PORT"], env_of(one("webhook"))["CONNECTOR_HEALTH_PORT"]) == (
        "40191",
        "40190",
    )


def test_what_the_place_wishes_is_in_every_pod() -> None:
    place = Place(
        namespace="n",
        image="registry.example.org/butlers:1",
        operator_namespace="o",
        image_pull_secrets=("registry",),
        pod=HouseholdPod.model_validate_json(
            '{"nodeSelector": {"disk": "fast"}, "tolerations": [{"operator": "Exists"}], "priorityClassName": "high"}'
        ),
        storage_class="fast",
    )
    for resource in demo():
        pod = template(resource, place)["spec"]
        assert pod["imagePullSecrets"] == [{"name": "registry"}]
        assert (pod["nodeSelector"], pod["tolerations"]) == ({"disk": "fast"}, [{"operator": "Exists"}])
        assert pod["priorityClassName"] == "high"
        assert {found["image"] for found in containers({"spec": pod})} == {place.image}
    assert child(one("mail"), "PersistentVolumeClaim", place)["spec"]["storageClassName"] == "fast"
    assert {"imagePullSecrets", "nodeSelector", "tolerations", "priorityClassName"} & set(
        template(one("mail"), PLACE)["spec"]
    ) == set()
