"""Nothing secret leaves with a support bundle."""

from __future__ import annotations

import json

import pytest

from butler_kubectl.redact import HIDDEN, redacted, redacted_text

SECRETS = (
    "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl",
    "postgresql://butlers:hunter2pass@db:5432/x",
    "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
    "Authorization: Bearer c2VjcmV0c2VjcmV0",
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2Vw\n-----END PRIVATE KEY-----",
    'password="hunter2pass"',
    "api_key=hunter2pass&x=1",
)
PARTS = ("c2lnbmF0dXJl", "hunter2pass", "AAHdqTcvCH1vGW", "c2VjcmV0c2Vj", "MC4CAQAw")


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_in_a_text_is_hidden_wherever_it_stands(text: str) -> None:
    line = redacted_text(f"before {text} after")
    assert HIDDEN in line
    assert line.startswith("before ")
    assert not any(part in line for part in PARTS)


def test_objects_keep_their_shape_and_lose_their_secrets() -> None:
    pod = {
        "kind": "Pod",
        "metadata": {"name": "p", "managedFields": [{"a": 1}], "annotations": {
            "kubectl.kubernetes.io/last-applied-configuration": "{}"}},
        "spec": {"env": [{"name": "IMAP_PASSWORD", "value": "plain-word"}, {"name": "PORT", "value": "993"}],
                 "passwordSecretRef": {"name": "imap", "key": "password"}, "token": "abc"},
    }  # fmt: skip
    assert redacted(pod) == {
        "kind": "Pod",
        "metadata": {"name": "p", "annotations": {}},
        "spec": {
            "env": [{"name": "IMAP_PASSWORD", "value": HIDDEN}, {"name": "PORT", "value": "993"}],
            "passwordSecretRef": {"name": "imap", "key": "password"},
            "token": HIDDEN,
        },
    }


def test_of_a_secret_only_the_names_of_its_keys_stay() -> None:
    secret = {"kind": "Secret", "metadata": {"name": "s"}, "data": {"a": "Zm9v"}, "stringData": {"b": "bar"}}
    found = redacted({"items": [secret]})
    assert found["items"][0]["data"] == {"a": HIDDEN, "b": HIDDEN}
    assert "Zm9v" not in json.dumps(found)
    assert "bar" not in json.dumps(found)
