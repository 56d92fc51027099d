"""A manifest may name the Secrets that say so by a label, in any field, and never the operator's own."""

from __future__ import annotations

from typing import Any

import pytest

from butler_operator.reconcile.references import facts_of
from butler_operator.reconcile.sharing import holds_back, unshared
from butler_resources.kinds import Butler, Connector, SecretRef
from butler_resources.kinds.household import Household
from butler_resources.kinds.objects import parse_object
from butler_resources.render.cluster import Place, named, references
from tests.support.cluster_resources import api_connector, butler, messenger, secret, switchboard
from tests.support.cluster_resources import unshared as unlabelled

PLACE = Place(namespace="home", image="butlers:dev", operator_namespace="butlers-system")
OWN = "butlers-postgresql"
TOKEN = {"name": "bot", "key": "token"}
MODULES = {
    "telegram": {"bot": {"tokenSecretRef": TOKEN}},
    "email": {
        "bot": {"address": "a@example.org", "passwordSecretRef": TOKEN, "smtp": {"host": "m", "port": 465}}
    },
}
IMAP = {"host": "m", "username": "a@example.org", "passwordSecretRef": TOKEN}
FIELDS = {
    "spec.contactsFrom.secretRef": messenger("bot", "token"),
    "spec.modules.telegram.bot.tokenSecretRef": messenger("c", "k"),
    "spec.modules.email.bot.passwordSecretRef": messenger("c", "k"),
    "spec.env[0].secretRef": butler(env=[{"name": "KEY", "secretRef": TOKEN}]),
    "spec.database.secretRef": butler(database={"secretRef": TOKEN}),
    "spec.webhook.tokenSecretRef": api_connector(webhook={"tokenSecretRef": TOKEN}),
    "spec.telegramBot.tokenSecretRef": api_connector(
        type="telegram_bot", webhook=None, telegramBot={"tokenSecretRef": TOKEN}
    ),
    "spec.imap.passwordSecretRef": api_connector(type="imap", webhook=None, imap=IMAP),
    "spec.caBundleRef": butler(caBundleRef={"secret": "bot", "key": "token"}),
    "spec.household.caBundleRef": switchboard(household={"caBundleRef": {"secret": "bot", "key": "token"}}),
}
FIELDS["spec.modules.telegram.bot.tokenSecretRef"]["spec"]["modules"] = {"telegram": MODULES["telegram"]}
FIELDS["spec.modules.email.bot.passwordSecretRef"]["spec"]["modules"] = {"email": MODULES["email"]}


def resource(body: Any) -> Butler | Connector:
    spec = {key: value for key, value in body["spec"].items() if value is not None}
    kind: Any = Butler if body["kind"] == "Butler" else Connector
    found: Butler | Connector = parse_object(kind, {**body, "spec": spec})
    return found


def said(body: Any, *secrets: dict[str, Any]) -> str:
    facts = {one["metadata"]["name"]: facts_of(one) for one in secrets}
    found = unshared(named(resource(body)), facts, place=PLACE)
    return "" if found is None else f"{found.status} {found.reason}: {found.message}"


@pytest.mark.parametrize("path", FIELDS)
def test_every_field_that_names_a_secret_needs_the_label(path: str) -> None:
    told = said(FIELDS[path], unlabelled("bot", token="t"), secret("c", k="v"))
    assert told.startswith(f"False SecretNotShared: {path} names Secret bot, which is not shared")
    assert told.endswith("kubectl label secret bot --namespace=home butlers.dev/usable-by=household")
    assert said(FIELDS[path], secret("bot", token="t"), secret("c", k="v")) == ""


@pytest.mark.parametrize("path", FIELDS)
def test_what_is_judged_is_all_that_pods_would_read(path: str) -> None:
    found = resource(FIELDS[path])
    assert set(references(found)) <= {one.ref for one in named(found)}
    assert path in {one.path for one in named(found)}


@pytest.mark.parametrize("label", ["", "Household", "somebody-else"])
def test_the_label_means_the_household_and_nothing_else(label: str) -> None:
    other = unlabelled("webhook", token="t")
    other["metadata"]["labels"] = {"butlers.dev/usable-by": label}
    assert "SecretNotShared" in said(api_connector(), other)


@pytest.mark.parametrize("own", [OWN, "switchboard-signing"])
def test_the_operator_s_own_secrets_are_refused_even_with_the_label(own: str) -> None:
    thief = api_connector(webhook={"tokenSecretRef": {"name": own, "key": "uri"}})
    assert "which is the operator's own; name another one" in said(thief, secret(own, uri="x"))
    assert "which is the operator's own" in said(thief)


def test_the_place_s_database_may_be_said_aloud_as_the_database_and_as_nothing_else() -> None:
    ref = {"name": OWN, "key": "uri"}
    assert PLACE.database == SecretRef(name=OWN, key="uri")
    assert said(butler(database={"secretRef": ref}), unlabelled(OWN, uri="x")) == ""
    twice = butler(database={"secretRef": ref}, env=[{"name": "URL", "secretRef": ref}])
    assert "spec.env[0].secretRef names Secret butlers-postgresql" in said(twice, unlabelled(OWN, uri="x"))
    password = butler(database={"secretRef": {"name": OWN, "key": "password"}})
    assert "SecretNotShared" in said(password, unlabelled(OWN, password="x"))


def test_what_a_butler_takes_over_from_its_household_is_judged_too() -> None:
    household = Household.model_validate({"caBundleRef": {"secret": OWN, "key": "password"}})
    found = unshared(named(resource(butler()), household), {}, place=PLACE)
    assert found is not None
    assert found.message.startswith(
        "the household's caBundleRef names Secret butlers-postgresql, which is the"
    )
    own = resource(butler(caBundleRef={"configMap": "authorities"}))
    assert unshared(named(own, household), {}, place=PLACE) is None


def test_a_secret_that_is_not_there_is_missing_and_not_unshared() -> None:
    assert said(api_connector()) == ""


def test_what_is_mounted_elsewhere_waits_until_the_references_of_this_very_manifest_were_looked_at() -> None:
    def body(generation: int, reason: str) -> dict[str, Any]:
        condition = {"type": "ResolvedRefs", "reason": reason, "observedGeneration": generation}
        return {"metadata": {"generation": 2}, "status": {"conditions": [condition]}}

    assert not holds_back(body(2, "Resolved"))
    assert not holds_back(body(2, "DatabaseUnavailable"))
    assert holds_back(body(1, "Resolved"))
    assert holds_back(body(2, "SecretNotShared"))
    assert holds_back({"metadata": {"generation": 1}})
