"""This machine's login for a registry: what `buildah login` stored, sent as the registry asks for it."""

from __future__ import annotations

import base64
import json
import re
import subprocess
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from images.push.refused import Refused

__all__ = ["RegistryLogin", "kept_login"]

HELPER_TIMEOUT_S = 30
PARAMETER = re.compile(r'(\w+)="([^"]*)"')


def kept_login(file: Path, host: str, repository: str) -> str | None:
    """Return `user:password` in base64, of the longest matching entry; credential helpers work as with buildah."""
    try:
        kept = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise Refused(f"login file {file} cannot be read: {error}") from None
    parts = f"{host}/{repository}".split("/")
    for end in range(len(parts), 0, -1):
        found = kept.get("auths", {}).get("/".join(parts[:end]), {}).get("auth")
        if found:
            return str(found)
    helper = kept.get("credHelpers", {}).get(host) or kept.get("credsStore")
    return _from_helper(str(helper), host) if helper else None


def _from_helper(name: str, host: str) -> str | None:
    program = f"docker-credential-{name}"
    try:
        done = subprocess.run(  # noqa: S603
            [program, "get"],
            input=host,
            capture_output=True,
            text=True,
            check=False,
            timeout=HELPER_TIMEOUT_S,
        )
        told = json.loads(done.stdout) if done.returncode == 0 else None
    except (OSError, ValueError, subprocess.TimeoutExpired):
        raise Refused(f"the login file names {program}, which cannot be asked") from None
    return told and base64.b64encode(f"{told['Username']}:{told['Secret']}".encode()).decode()


@dataclass
class RegistryLogin(httpx.Auth):
    """Answers a registry's Basic or Bearer challenge, and keeps the answer for this repository."""

    login: str | None
    scope: str
    _header: str | None = field(default=None, init=False)
    requires_response_body = True

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        if self._header:
            request.headers["Authorization"] = self._header
        answer = yield request
        if answer.status_code != httpx.codes.UNAUTHORIZED:
            return
        scheme, _, rest = answer.headers.get("WWW-Authenticate", "").partition(" ")
        if scheme.lower() == "bearer":
            asked = self._for_token(request.url, dict(PARAMETER.findall(rest)))
            self._header = _token((yield asked)) if asked else None
        elif scheme.lower() == "basic" and self.login:
            self._header = f"Basic {self.login}"
        if self._header:
            request.headers["Authorization"] = self._header
            yield request

    def _for_token(self, url: httpx.URL, asked: Mapping[str, str]) -> httpx.Request | None:
        """Return the request for a token; a registry with TLS cannot send the password to a plain HTTP realm."""
        realm = httpx.URL(asked.get("realm", ""))
        if not realm.host or (url.scheme == "https" and realm.scheme != "https"):
            return None
        parameters = {"scope": self.scope} | ({"service": asked["service"]} if "service" in asked else {})
        headers = {"Authorization": f"Basic {self.login}"} if self.login else {}
        return httpx.Request("GET", realm.copy_merge_params(parameters), headers=headers)


def _token(answer: httpx.Response) -> str | None:
    try:
        told: dict[str, Any] = answer.json() if answer.is_success else {}
    except ValueError:
        told = {}
    token = told.get("token") or told.get("access_token")
    return f"Bearer {token}" if token else None
