"""The API server over HTTP, as a kubeconfig describes it: one connection, so that a table of cases takes seconds."""

from __future__ import annotations

import base64
import ssl
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import httpx
import yaml

from butler_resources.kinds.names import GROUP, VERSION

__all__ = ["Answer", "Api"]

STRICT = {"fieldValidation": "Strict"}


@dataclass(frozen=True)
class Answer:
    """What the server said: `words` is the message of a refusal."""

    code: int
    body: dict[str, Any]

    @property
    def accepted(self) -> bool:
        return self.code < 400

    @property
    def words(self) -> str:
        return "" if self.accepted else str(self.body.get("message", ""))


class Api:
    """Custom resources of one namespace."""

    def __init__(self, kubeconfig: Path, namespace: str) -> None:
        self._http = _client(yaml.safe_load(kubeconfig.read_text(encoding="utf-8")))
        self._namespace = namespace

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._http.close()

    def create(self, plural: str, body: dict[str, Any], *, dry_run: bool = False) -> Answer:
        return self._send("POST", self._path(plural), body, dry_run=dry_run)

    def replace(self, plural: str, body: dict[str, Any], *, part: str = "", dry_run: bool = False) -> Answer:
        path = self._path(plural, body["metadata"]["name"]) + (f"/{part}" if part else "")
        return self._send("PUT", path, body, dry_run=dry_run)

    def get(self, plural: str, name: str) -> Answer:
        return self._send("GET", self._path(plural, name), None)

    def delete(self, plural: str, name: str) -> Answer:
        return self._send("DELETE", self._path(plural, name), None)

    def names(self, plural: str, *, where: str) -> list[str]:
        """Names of the objects that a field selector chooses."""
        found = self._http.get(self._path(plural), params={"fieldSelector": where}).json()
        return [item["metadata"]["name"] for item in found["items"]]

    def columns(self, plural: str, name: str) -> dict[str, Any]:
        """What `kubectl get -o wide` shows of one object, by column."""
        accept = {"Accept": "application/json;as=Table;g=meta.k8s.io;v=v1"}
        table = self._http.get(self._path(plural, name), headers=accept).json()
        titles = [column["name"] for column in table["columnDefinitions"]]
        return dict(zip(titles, table["rows"][0]["cells"], strict=True))

    def document(self, path: str) -> Any:
        """Any other document of the server."""
        return self._http.get(path).raise_for_status().json()

    def make_namespace(self) -> None:
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self._namespace}}
        answer = self._send("POST", "/api/v1/namespaces", body)
        assert answer.accepted, answer.words

    def drop_namespace(self) -> None:
        self._send("DELETE", f"/api/v1/namespaces/{self._namespace}", None)

    def _path(self, plural: str, *rest: str) -> str:
        return "/".join((f"/apis/{GROUP}/{VERSION}/namespaces/{self._namespace}", plural, *rest))

    def _send(self, method: str, path: str, body: dict[str, Any] | None, *, dry_run: bool = False) -> Answer:
        params = (STRICT if body is not None else {}) | ({"dryRun": "All"} if dry_run else {})
        response = self._http.request(method, path, json=body, params=params)
        return Answer(response.status_code, response.json())


def _client(config: dict[str, Any]) -> httpx.Client:
    """A client for the current context; certificates as data or as files, or a token."""
    named = {
        kind: {each["name"]: each[kind] for each in config[f"{kind}s"]}
        for kind in ("context", "cluster", "user")
    }
    context = named["context"][config["current-context"]]
    cluster, user = named["cluster"][context["cluster"]], named["user"][context["user"]]
    trust = ssl.create_default_context()
    if cluster.get("insecure-skip-tls-verify"):
        trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
    elif (authority := _document(cluster, "certificate-authority")) is not None:
        trust.load_verify_locations(cadata=authority.decode())
    certificate, key = _document(user, "client-certificate"), _document(user, "client-key")
    if certificate is not None and key is not None:
        with tempfile.NamedTemporaryFile() as pair:
            pair.write(certificate + b"\n" + key)
            pair.flush()
            trust.load_cert_chain(pair.name)
    headers = {"Authorization": f"Bearer {user['token']}"} if "token" in user else {}
    return httpx.Client(
        base_url=cluster["server"], verify=trust, headers=headers, trust_env=False, timeout=30
    )


def _document(entry: dict[str, Any], name: str) -> bytes | None:
    if f"{name}-data" in entry:
        return base64.b64decode(entry[f"{name}-data"])
    return Path(entry[name]).read_bytes() if name in entry else None
