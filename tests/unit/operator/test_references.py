"""References: what is missing is named; secrets are known by digests that cannot be guessed back."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest

from butler_operator.reconcile.conditions import failed
from butler_operator.reconcile.references import (
    SecretFacts,
    contacts_problem,
    facts_of,
    inputs_of,
    refs_condition,
)
from butler_resources.kinds import SecretRef

TOKEN = SecretRef(name="bot", key="token")
ADMIN = SecretRef(name="butlers-postgresql", key="uri")


def secret(uid: str = "u", **values: str) -> dict[str, Any]:
    data = {key: base64.b64encode(value.encode()).decode() for key, value in values.items()}
    return {"metadata": {"name": "bot", "uid": uid}, "data": data}


def condition(secrets: dict[str, SecretFacts], **given: Any) -> tuple[str, str, str]:
    found = refs_condition(
        [ADMIN, TOKEN],
        secrets,
        **{"database": ADMIN, "switchboard": "switchboard", "switchboards": ["switchboard"], **given},
    )
    return found.status, found.reason, found.message


HAVE = {"butlers-postgresql": facts_of(secret(uri="x")), "bot": facts_of(secret(token="t"))}


def test_all_there_is_resolved() -> None:
    assert condition(HAVE)[:2] == ("True", "Resolved")


def test_each_missing_thing_has_its_reason_and_says_what_to_make() -> None:
    assert condition({"bot": HAVE["bot"]})[1] == "DatabaseUnavailable"
    no_secret = condition({"butlers-postgresql": HAVE["butlers-postgresql"]})
    assert no_secret[1:] == ("SecretNotFound", "no Secret bot in this namespace; create it with key token")
    no_key = condition({**HAVE, "bot": facts_of(secret(other="x", token=""))})
    assert no_key[1:] == ("SecretKeyNotFound", "Secret bot has no value for key token (keys with one: other)")
    assert condition(HAVE, switchboards=[])[1] == "SwitchboardNotFound"
    assert condition(HAVE, switchboard=None, switchboards=[])[1] == "Resolved"
    assert condition(HAVE, taken_by="taken by Connector a")[1] == "NameTaken"


def test_what_the_manifest_may_not_name_is_told_before_anything_of_its_content() -> None:
    refused = failed("ResolvedRefs", "SecretNotShared", "not for the household")
    no_key = {**HAVE, "bot": facts_of(secret(other="x"))}
    assert condition(no_key, refused=refused)[1:] == ("SecretNotShared", "not for the household")


def test_a_changed_value_changes_the_hash_and_nothing_else_does() -> None:
    one = facts_of(secret(token="t"))
    assert inputs_of([TOKEN], {"bot": one}) == inputs_of(
        [TOKEN], {"bot": facts_of(secret(token="t", more="x"))}
    )
    assert inputs_of([TOKEN], {"bot": one}) != inputs_of([TOKEN], {"bot": facts_of(secret(token="u"))})


def test_a_digest_is_keyed_with_what_only_the_secret_itself_says() -> None:
    shown = facts_of(secret(token="1234")).digests["token"]
    assert shown != hashlib.sha256(b"1234").hexdigest()[: len(shown)]
    assert shown != facts_of(secret(uid="v", token="1234")).digests["token"]
    assert "1234" not in repr(facts_of(secret(token="1234")))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("- {name: Ann, role: owner}", None),
        ("- {name: Ann, role: member}", "OwnerMissing"),
        ("- {name: Ann, role: owner}\n- {name: Bob, role: owner}", "OwnerMissing"),
        ("- {name: Ann, role: boss}", "ContactsInvalid"),
        ("Ann: [", "ContactsInvalid"),
    ],
)
def test_wrong_contacts_are_named_without_a_word_of_them(text: str, reason: str | None) -> None:
    problem = contacts_problem(text, SecretRef(name="contacts", key="contacts.yaml"))
    assert (problem and problem.reason) == reason
    assert problem is None or not {"Ann", "Bob"} & set(problem.message.replace(",", " ").split())
