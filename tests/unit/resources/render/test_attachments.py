"""What a manifest's stores of files become: a table, a token that may be missing, ports of pods (ADR 0103)."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from butler_resources.kinds import ManifestError, SecretRef
from butler_resources.render import IfThere, Surroundings
from butler_resources.render.butler_env import render_butler_env
from butler_resources.render.cluster.networkpolicy import provider_ports
from butler_resources.render.cluster.references import dispensable, references
from tests.support.manifests import butler_of, toml_of

PLACE = Surroundings(
    switchboard_url="http://127.0.0.1:40100/sse", jwks_file="/j", token_file="/t", revoked_file="/r"
)
REF = {"name": "files", "key": "token"}
TOKEN = SecretRef(name="files", key="token")
FILES = {"origins": ["https://files.example.org/"]}


def messenger(*origins: str, **more: Any) -> Any:
    module = {"origins": list(origins), **more}
    return butler_of({"role": "messenger", "modules": {"attachments": module}}, name="messenger")


def test_a_token_that_is_not_there_keeps_no_pod_from_running_and_stands_in_no_file() -> None:
    butler = messenger(*FILES["origins"], tokenSecretRef=REF)
    assert render_butler_env(butler, PLACE)["BUTLER_ATTACHMENTS_TOKEN"] == IfThere(TOKEN)
    assert TOKEN in references(butler)
    assert TOKEN in dispensable(butler)
    spec = {"role": "messenger", "modules": {"attachments": {**FILES, "tokenSecretRef": REF}}}
    table = tomllib.loads(toml_of(spec))["modules"]["attachments"]
    assert table == {"origins": ["https://files.example.org/"], "token_env": "BUTLER_ATTACHMENTS_TOKEN"}


def test_messengers_pods_may_reach_every_origin_and_without_files_none() -> None:
    butler = messenger("https://files.example.org/", "http://minio.storage.svc:9000/", "http://10.0.0.5/")
    assert provider_ports(butler) == (80, 443, 9000)
    assert provider_ports(butler_of({"role": "messenger"}, name="messenger")) == ()


@pytest.mark.parametrize(
    ("origins", "word"),
    [
        (["http://files.example.org/"], "unencrypted from a public network"),
        (["https://files.example.org/?a=b"], "origins"),
        (["https://ada:secret@files.example.org/"], "origins"),
        (["ftp://files.example.org/"], "origins"),
        (["https://files.example.org/"] * 2, "given twice"),
        ([], "origins"),
    ],
)
def test_an_origin_that_cannot_be_one_is_refused_in_words(origins: list[str], word: str) -> None:
    with pytest.raises((ManifestError, ValueError), match=word):
        messenger(*origins)
