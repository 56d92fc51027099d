"""The household's own certificate authorities on one machine: checked at first, then a file per process."""

from __future__ import annotations

from collections.abc import Iterator

from butler_cli.local.plan import DASHBOARD
from butler_cli.local.secrets import Secrets
from butler_cli.local.state import StateDir, write_private
from butler_resources.kinds import Butler, Connector, Manifests, Problem
from butler_resources.kinds.ca_bundle import CaBundleRef, bundle_problem
from butler_resources.render import bundle_of

__all__ = ["authority_problems", "own_authorities", "write_authorities"]


def authority_problems(manifests: Manifests, secrets: Secrets) -> list[Problem]:
    """Return what keeps bundles from being used; a missing secret is reported with the others."""
    problems = []
    for resource, ref in _named(manifests):
        text = _text(ref, manifests, secrets)
        where = f"{ref.kind} {ref.name}"
        if text is None and ref.secret is None:
            words = f"no {where} with key {ref.key} among the manifests; add it"
        elif text and (wrong := bundle_problem(text)) is not None:
            words = f"{where}, key {ref.key}, {wrong}"
        else:
            continue
        problems.append(Problem(f"{resource.kind} {resource.name}", "caBundleRef", words))
    return problems


def write_authorities(manifests: Manifests, secrets: Secrets, state: StateDir) -> None:
    """Write the bundle of every process that has one; the dashboard's is the household's."""
    named = [(resource.name, ref) for resource, ref in _named(manifests)]
    if manifests.household.ca_bundle_ref is not None:
        named.append((DASHBOARD, manifests.household.ca_bundle_ref))
    for name, ref in named:
        write_private(state.authorities_file(name), _text(ref, manifests, secrets) or "")


def own_authorities(resource: Butler | Connector, manifests: Manifests, secrets: Secrets) -> str | None:
    """Return the bundle that the process of `resource` trusts; None if it has none."""
    ref = bundle_of(resource, manifests.household)
    return None if ref is None else _text(ref, manifests, secrets)


def _named(manifests: Manifests) -> Iterator[tuple[Butler | Connector, CaBundleRef]]:
    for resource in manifests.processes:
        ref = bundle_of(resource, manifests.household)
        if ref is not None:
            yield resource, ref


def _text(ref: CaBundleRef, manifests: Manifests, secrets: Secrets) -> str | None:
    return manifests.bundle_text(ref) if ref.secret_ref is None else secrets.find(ref.secret_ref)
