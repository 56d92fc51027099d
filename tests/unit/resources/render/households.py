"""Custom resources for the tests of rendering: those of the demo, and any that the models let through."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hypothesis import strategies as st

from butler_resources.kinds import Butler, Connector, load_manifests
from butler_resources.render.cluster import Place, render_butler, render_connector

EXAMPLES = Path(__file__).parents[4] / "examples"
PLACE = Place(namespace="household", image="localhost/butlers:dev", operator_namespace="butlers-system")

NOTHING: Mapping[str, str] = MappingProxyType({})

Resource = Butler | Connector
Manifest = dict[str, Any]

names = st.from_regex(r"\A[a-z]([-a-z0-9]{0,38}[a-z0-9])?\Z")
texts = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40
).filter(lambda text: bool(text.strip()))
ports = st.integers(1, 65535)
tls = st.sampled_from(["implicit", "starttls", "none"])
secrets = st.fixed_dictionaries({"name": names, "key": st.from_regex(r"\A[a-z][-._a-z0-9]{0,20}\Z")})
urls = st.one_of(
    st.just("https://api.example.org/bot"),
    ports.map(lambda port: f"http://10.0.0.1:{port}"),
    st.sampled_from(["http://[::1]", "https://a:99999", "http://a:b/c"]),
)
env = st.lists(
    st.fixed_dictionaries({"name": st.from_regex(r"\AMY_[A-Z0-9_]{0,20}\Z"), "secretRef": secrets}),
    max_size=3,
    unique_by=lambda entry: str(entry["name"]),
)


@st.composite
def butlers(draw: st.DrawFn) -> Butler:
    """Any Butler that a cluster accepts, as far as rendering looks at it."""
    role = draw(st.sampled_from(["switchboard", "messenger", "specialist"]))
    spec: dict[str, Any] = {"role": role, "replicas": draw(st.integers(1, 5)), "suspend": draw(st.booleans())}
    spec["env"] = draw(env)
    if draw(st.booleans()):
        spec["port"] = draw(ports)
    if draw(st.booleans()):
        spec["database"] = {"secretRef": draw(secrets)}
    if role == "specialist":
        profiles = ["general", "relationship", "health", "finance", "travel"]
        spec["profile"] = draw(st.sampled_from(profiles))
        spec["triggers"] = draw(st.lists(texts, max_size=3, unique_by=str.strip))
    if role == "messenger":
        spec |= draw(st.fixed_dictionaries({}, optional=MESSENGER))
    name = role if role != "specialist" else draw(names.map(lambda name: f"s{name}"[:40].rstrip("-")))
    return Butler.model_validate_json(_json("Butler", name, spec))


server = st.fixed_dictionaries({"host": st.just("mail.example.org"), "port": ports, "tls": tls})
MESSENGER: dict[Any, Any] = {
    "contactsFrom": st.fixed_dictionaries({"secretRef": secrets}),
    "modules": st.fixed_dictionaries(
        {},
        optional={
            "telegram": st.fixed_dictionaries(
                {"bot": st.fixed_dictionaries({"tokenSecretRef": secrets}, optional={"apiBaseUrl": urls})}
            ),
            "email": st.fixed_dictionaries(
                {
                    "bot": st.fixed_dictionaries(
                        {"address": texts, "passwordSecretRef": secrets, "smtp": server},
                        optional={"sentMailbox": server, "inbox": server},
                    )
                }
            ),
        },
    ),
}
BLOCKS: dict[str, tuple[str, st.SearchStrategy[dict[str, Any]]]] = {
    "telegram_bot": (
        "telegramBot",
        st.fixed_dictionaries({"tokenSecretRef": secrets}, optional={"apiBaseUrl": urls}),
    ),
    "imap": (
        "imap",
        st.fixed_dictionaries(
            {"host": st.just("mail.example.org"), "username": texts, "passwordSecretRef": secrets},
            optional={"port": ports, "tls": tls, "mailbox": texts},
        ),
    ),
    "webhook": ("webhook", st.fixed_dictionaries({"tokenSecretRef": secrets}, optional={"port": ports})),
}


@st.composite
def connectors(draw: st.DrawFn) -> Connector:
    """Any Connector that a cluster accepts, as far as rendering looks at it."""
    kind = draw(st.sampled_from(sorted(BLOCKS)))
    block, values = BLOCKS[kind]
    spec = {
        "type": kind,
        "endpointIdentity": draw(texts),
        "senders": {"allow": draw(st.lists(texts, max_size=2, unique_by=str.strip))},
        "suspend": draw(st.booleans()),
        "env": draw(env),
        block: draw(values),
    }
    return Connector.model_validate_json(_json("Connector", draw(names), spec))


resources: st.SearchStrategy[Resource] = st.one_of(butlers(), connectors())


@cache
def demo() -> list[Resource]:
    """The resources of the demo household."""
    manifests = load_manifests(EXAMPLES / "demo")
    return [*manifests.butlers, *manifests.connectors]


def one(name: str) -> Resource:
    """The demo's resource of that name."""
    return next(resource for resource in demo() if resource.name == name)


def changed(resource: Resource, **spec: Any) -> Resource:
    """`resource` with some fields of its spec set otherwise, checked as a cluster would."""
    document = resource.model_dump(by_alias=True, exclude_unset=True, mode="json")
    document["spec"] |= spec
    return type(resource).model_validate_json(_json(resource.kind, resource.name, document["spec"]))


def render(
    resource: Resource, place: Place = PLACE, inputs: Mapping[str, str] = NOTHING
) -> tuple[Manifest, ...]:
    """The objects of `resource`."""
    owner = {"apiVersion": resource.api_version, "kind": resource.kind, "name": resource.name, "uid": "u-1"}
    if isinstance(resource, Butler):
        return render_butler(resource, place, owner=owner, inputs=inputs)
    return render_connector(resource, place, owner=owner, inputs=inputs)


def child(
    resource: Resource, kind: str, place: Place = PLACE, inputs: Mapping[str, str] = NOTHING
) -> Manifest:
    """The one child of that kind."""
    (found,) = (manifest for manifest in render(resource, place, inputs) if manifest["kind"] == kind)
    return found


def template(resource: Resource, place: Place = PLACE, inputs: Mapping[str, str] = NOTHING) -> Manifest:
    """The pod template."""
    found: Manifest = child(resource, "Deployment", place, inputs)["spec"]["template"]
    return found


def containers(pod: Manifest) -> list[Manifest]:
    """All containers of a pod template."""
    return [*pod["spec"].get("initContainers", []), *pod["spec"]["containers"]]


def env_of(resource: Resource, place: Place = PLACE) -> dict[str, Any]:
    """The environment of the process: literal values, and what others come from."""
    (process,) = template(resource, place)["spec"]["containers"]
    return {entry["name"]: entry.get("value", entry.get("valueFrom")) for entry in process["env"]}


def _json(kind: str, name: str, spec: dict[str, Any]) -> str:
    document = {"apiVersion": "butlers.dev/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec}
    return json.dumps(document)
