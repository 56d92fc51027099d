"""PURE: explain kubectl's error to a person in one line, with the role that gives a missing right."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from typing import Final

__all__ = ["Role", "refusal"]


class Role(Enum):
    """The roles that give a right, in words."""

    VIEW = (
        "the ClusterRole view, bound in that namespace, gives it (Butlers' chart aggregates its rights there)"
    )
    EDIT = (
        "the ClusterRole edit, bound in that namespace, gives it (Butlers' chart aggregates its rights there)"
    )
    READER = (
        "the chart's ClusterRole butlers:RELEASE_NAMESPACE:reader gives it; bind it in the household's namespace with "
        "`kubectl create rolebinding NAME --clusterrole=butlers:RELEASE_NAMESPACE:reader --user=USER`"
    )
    PERSON = "the chart's value dashboard.operators gives it: {name: NAME, user: USER}"


_NOISE: Final = re.compile(r"^[EWI]\d{4} |^Warning: |^\s*$")
_PREFIX: Final = re.compile(
    r"^(?:error: |Error from server(?: \(\w+\))?: |Error: )?(?:error when creating \S+: )?"
)
_RBAC: Final = re.compile(
    r'User "(?P<user>[^"]*)" cannot (?P<verb>\w+) (?:resource|path) "(?P<what>[^"]*)"'
    r'(?: in API group "(?P<group>[^"]*)")?(?: in the namespace "(?P<namespace>[^"]*)")?'
)
_POLICY: Final = re.compile(
    r"ValidatingAdmissionPolicy '[^']*' with binding '[^']*' denied request: (?P<said>.*)"
)
_NO_KIND: Final = re.compile(
    r"the server doesn't have a resource type \"|no matches for kind \"|could not find the requested resource"
)
_NO_CLUSTER: Final = re.compile(
    r"connection to the server|Unable to connect|connection refused|no such host|i/o timeout|no route to host"
    r"|context deadline exceeded|Client\.Timeout|TLS handshake timeout|EOF$|network is unreachable"
)
_STRANGER: Final = re.compile(
    r"You must be logged in|Unauthorized|the server has asked for the client to provide"
)
_NO_ACCOUNT: Final = re.compile(r'serviceaccounts "(?P<name>[^"]*)" not found')


def refusal(words: str, *, role: Role | None, where: str) -> str:
    """Return a line about kubectl's stderr; `role` gives the right it needs, `where` is the namespace."""
    lines = [line.strip() for line in words.splitlines() if not _NOISE.search(line)]
    whole = " ".join(lines) or "kubectl ended with an error and said nothing"
    forbidden = _RBAC.search(whole)
    if forbidden is not None:
        return _forbidden(forbidden, role)
    denied = _POLICY.search(whole)
    if denied is not None:
        return denied["said"].strip()
    for pattern, say in _KNOWN:
        if pattern.search(words):
            return say(_plain(lines or [words.strip()]), where)
    return _plain(lines) if lines else whole


def _forbidden(found: re.Match[str], role: Role | None) -> str:
    what = f"{found['what']}.{found['group']}" if found["group"] else found["what"]
    place = f" in namespace {found['namespace']}" if found["namespace"] else " in the whole cluster"
    advice = f"; {role.value}" if role is not None else ""
    return f"{found['user']} may not {found['verb']} {what}{place}{advice}"


def _account_in(said: str) -> str:
    found = _NO_ACCOUNT.search(said)
    return f"ServiceAccount {found['name']}" if found is not None else "such ServiceAccount"


def _plain(lines: list[str]) -> str:
    return _PREFIX.sub("", " ".join(lines), count=1)


_KNOWN: Final[tuple[tuple[re.Pattern[str], Callable[[str, str], str]], ...]] = (
    (_NO_KIND, lambda _said, _where: (
        "this cluster has no Butlers resources; install the charts butlers-crds and butlers, or choose another "
        "cluster with --context")),
    (_STRANGER, lambda said, _where: (
        f"the cluster does not know you ({said}); renew the credentials of your kubeconfig")),
    (_NO_ACCOUNT, lambda said, where: f"there is no {_account_in(said)} in {where}; -n names the household's"),
    (_NO_CLUSTER, lambda said, _where: (
        f"no cluster answers ({said}); check --kubeconfig and --context, or whether it runs")),
)  # fmt: skip
