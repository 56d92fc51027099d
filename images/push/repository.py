"""A repository in a registry, for the few small things that neither buildah nor Helm pushes or reads.

Those two push images and charts. This is for what is attached to them: manifests and blobs of some kilobytes, by the
calls of the OCI distribution specification, each with a deadline and a size limit.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import httpx

from images.push.artifacts import BILL, INDEX, MANIFEST, digest_of
from images.push.login import RegistryLogin, kept_login
from images.push.programs import auth_file
from images.push.refused import Refused, why
from images.push.registry import Registry

__all__ = ["Repository", "opened"]

TIMEOUT_S = 60.0
LARGEST_BYTES = 32 * 1024 * 1024
"""The SBOM of the Spark image has a tenth of it."""
DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
ACCEPT = f"{MANIFEST}, {INDEX}, {DOCKER_MANIFEST}"
REFUSED: Mapping[int, str] = {401: "unauthorized", 403: "403 Forbidden"}


@dataclass(frozen=True)
class Repository:
    """One repository, while it is open."""

    host: str
    name: str
    _client: httpx.Client

    def manifest(self, reference: str) -> bytes | None:
        """Return the manifest by tag or digest, checked against the digest; None if there is none."""
        content = self._get(f"manifests/{reference}", {"Accept": ACCEPT})
        if content is not None and reference.startswith("sha256:") and digest_of(content) != reference:
            raise Refused(f"{self.host}/{self.name}@{reference} has another content than its digest says")
        return content

    def blob(self, digest: str) -> bytes | None:
        content = self._get(f"blobs/{digest}", {})
        if content is not None and digest_of(content) != digest:
            raise Refused(f"{self.host}/{self.name}: blob {digest} has another content than its digest says")
        return content

    def referrers(self, digest: str) -> bytes | None:
        """Return the index of what names this digest as its subject; None if the registry does not support the call.

        Registries answer that in many ways, 400, 404 and 405 among them.
        """
        asked = {"headers": {"Accept": INDEX}, "params": {"artifactType": BILL}}
        answer = self._call("GET", f"referrers/{digest}", **asked)
        if answer.status_code in REFUSED:
            self._expect(answer, httpx.codes.OK)
        return answer.content if answer.status_code == httpx.codes.OK else None

    def put_blob(self, content: bytes) -> None:
        """Upload a blob, unless it is there."""
        digest = digest_of(content)
        if self._call("HEAD", f"blobs/{digest}").status_code == httpx.codes.OK:
            return
        begun = self._expect(self._call("POST", "blobs/uploads/"), httpx.codes.ACCEPTED)
        place = begun.url.join(begun.headers.get("Location", "")).copy_merge_params({"digest": digest})
        sent = self._call("PUT", place, content=content, headers={"Content-Type": "application/octet-stream"})
        self._expect(sent, httpx.codes.CREATED)

    def put_manifest(self, reference: str, content: bytes, kind: str = MANIFEST) -> Mapping[str, str]:
        """Upload a manifest; return the answer's headers, with `OCI-Subject` if the registry lists referrers itself."""
        sent = self._call("PUT", f"manifests/{reference}", content=content, headers={"Content-Type": kind})
        return self._expect(sent, httpx.codes.CREATED).headers

    def _get(self, path: str, headers: Mapping[str, str]) -> bytes | None:
        answer = self._call("GET", path, headers=headers)
        if answer.status_code == httpx.codes.NOT_FOUND:
            return None
        return self._expect(answer, httpx.codes.OK).content

    def _call(self, method: str, path: str | httpx.URL, **request: Any) -> httpx.Response:
        url = path if isinstance(path, httpx.URL) else f"/v2/{self.name}/{path}"
        try:
            with self._client.stream(method, url, **request) as answer:
                content = b""
                for part in answer.iter_bytes():
                    content += part
                    if len(content) > LARGEST_BYTES:
                        raise Refused(f"registry {self.host} answers without an end")
                headers = {key: value for key, value in answer.headers.items() if key != "content-encoding"}
                return httpx.Response(
                    answer.status_code, headers=headers, content=content, request=answer.request
                )
        except (httpx.HTTPError, ssl.SSLError) as error:
            raise Refused(why(self.host, str(error) or type(error).__name__)) from None

    def _expect(self, answer: httpx.Response, status: int) -> httpx.Response:
        if answer.status_code == status:
            return answer
        said = REFUSED.get(answer.status_code, f"status {answer.status_code}: {answer.text[:200]}")
        raise Refused(why(self.host, said))


@cache
def _trusted() -> ssl.SSLContext:
    """Trust the system's authorities and SSL_CERT_FILE, as the programs that push do."""
    return ssl.create_default_context()


@contextmanager
def opened(registry: Registry, reference: str, *, push: bool) -> Iterator[Repository]:
    """Open `host/prefix/name`, with buildah's login and the authorities that this machine trusts."""
    name = reference.removeprefix("oci://").removeprefix(f"{registry.host}/")
    login = kept_login(auth_file(os.environ, os.getuid()), registry.host, name)
    scope = f"repository:{name}:{'pull,push' if push else 'pull'}"
    scheme = "http" if registry.plain_http else "https"
    with httpx.Client(
        base_url=f"{scheme}://{registry.host}", auth=RegistryLogin(login, scope), timeout=TIMEOUT_S,
        follow_redirects=True, verify=_trusted(),
    ) as client:  # fmt: skip
        yield Repository(registry.host, name, client)
