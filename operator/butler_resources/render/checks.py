"""Checks over all manifests of a household; every place runs them before it starts anything.

Whether a runtime is available is a state of the running butler, not of its manifest (D28).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from butler_resources.kinds import BackfillJob, Butler, Connector, Manifests, Problem, did_you_mean
from butler_resources.kinds.overlap import same_endpoint, same_source
from butler_resources.render.thinking import HAVE_SESSIONS

__all__ = ["household_problems", "runtime_problem"]


def household_problems(manifests: Manifests) -> list[Problem]:
    """Return everything that keeps this household from working."""
    problems = list(_missing_roles(manifests))
    for butler in manifests.butlers:
        problems.extend(_butler_problems(butler, manifests))
    for connector in manifests.connectors:
        problems.extend(_connector_problems(connector, manifests))
    for job in manifests.backfills:
        problems.extend(_backfill_problems(job, manifests))
    problems.extend(_shared_sources(manifests))
    problems.extend(_two_names_of_a_mailbox(manifests))
    return problems


def _missing_roles(manifests: Manifests) -> Iterator[Problem]:
    running = [butler for butler in manifests.butlers if not butler.spec.suspend]
    for role in ("switchboard", "messenger"):
        if not any(butler.spec.role == role for butler in running):
            yield Problem("household", "", f"no running Butler with role {role}; add one called {role}")
    if not any(butler.spec.profile == "general" for butler in running):
        yield Problem(
            "household", "", "no running Butler with profile general; the fallback of routing needs it"
        )
    if not any(butler.spec.contacts_from for butler in manifests.with_role("messenger")):
        yield Problem(
            "Butler messenger", "spec.contactsFrom", "is missing; name the secret with the contacts"
        )


def _butler_problems(butler: Butler, manifests: Manifests) -> Iterator[Problem]:
    where = f"Butler {butler.name}"
    unavailable = runtime_problem(butler)
    if unavailable is not None:
        yield Problem(where, "spec.runtime.family", unavailable)
    yield from _unknown_butlers(butler, manifests)


def _unknown_butlers(butler: Butler, manifests: Manifests) -> Iterator[Problem]:
    """Yield names in the Switchboard's settings that match no butler."""
    where = f"Butler {butler.name}"
    known = [other.name for other in manifests.butlers if other.spec.role == "specialist"]
    rules = butler.spec.routing.rules if butler.spec.routing is not None else ()
    for number, rule in enumerate(rules):
        named = {"target": rule.target} if rule.target is not None else {}
        named |= {f"targets[{place}]": name for place, name in enumerate(rule.targets)}
        for field, name in named.items():
            if name not in known:
                path = f"spec.routing.rules[{number}].{field}"
                yield Problem(where, path, f"no specialist {name}; {did_you_mean(name, known)}")
    known += [other.name for other in manifests.with_role("messenger")]
    targets = butler.spec.dispatch.targets if butler.spec.dispatch is not None else ()
    for number, target in enumerate(targets):
        if target.butler not in known:
            path = f"spec.dispatch.targets[{number}].butler"
            yield Problem(where, path, f"no butler {target.butler}; {did_you_mean(target.butler, known)}")


def runtime_problem(butler: Butler) -> str | None:
    """Return why the runtime of `butler` can never be available; None if it can (D63).

    Whether a program or a model is available now is known, and reported, where the butler runs (D28).
    """
    runtime = butler.spec.runtime
    if butler.spec.role in HAVE_SESSIONS or "rules" in (runtime.family, runtime.fallback):
        return None
    return (
        f"{runtime.family} is not available here: a {butler.spec.role} runs no sessions; "
        "set spec.runtime.fallback to rules, or choose rules"
    )


def _connector_problems(connector: Connector, manifests: Manifests) -> Iterator[Problem]:
    where, spec = f"Connector {connector.name}", connector.spec
    switchboards = [butler.name for butler in manifests.with_role("switchboard")]
    if switchboards and spec.switchboard_ref not in switchboards:
        hint = did_you_mean(spec.switchboard_ref, switchboards)
        yield Problem(where, "spec.switchboardRef", f"no Switchboard {spec.switchboard_ref}; {hint}")
    if manifests.butler(connector.name) is not None:
        yield Problem(where, "metadata.name", f"a Butler is called {connector.name} too; choose another name")


def _backfill_problems(job: BackfillJob, manifests: Manifests) -> Iterator[Problem]:
    known = [connector.name for connector in manifests.connectors]
    if job.spec.connector_ref not in known:
        hint = did_you_mean(job.spec.connector_ref, known)
        text = f"no Connector {job.spec.connector_ref}; {hint}"
        yield Problem(f"BackfillJob {job.name}", "spec.connectorRef", text)


def _shared_sources(manifests: Manifests) -> Iterator[Problem]:
    """Yield the later of two connectors that read the same source."""
    specs = [(one.name, one.spec.model_dump(mode="json", by_alias=True)) for one in manifests.connectors]
    for (name, spec), (other, later) in combinations(specs, 2):
        found = same_endpoint(later, spec, name) or same_source(later, spec, name)
        if found is not None:
            yield Problem(f"Connector {other}", found.field, found.words)


def _two_names_of_a_mailbox(manifests: Manifests) -> Iterator[Problem]:
    """Yield Messenger's inbox if its connector has another name for it: every mail would enter twice."""
    for butler in manifests.with_role("messenger"):
        modules = butler.spec.modules
        bot = modules.email.bot if modules is not None and modules.email is not None else None
        for connector in manifests.connectors:
            source, identity = connector.spec.imap, connector.spec.endpoint_identity
            if bot is None or bot.inbox is None or source is None or identity == bot.mailbox_identity:
                continue
            read = (source.host.lower(), source.username.lower(), source.mailbox)
            if read == (bot.inbox.host.lower(), bot.address.lower(), bot.inbox.name):
                text = (
                    f"is {bot.mailbox_identity}, but Connector {connector.name} reads that mailbox as {identity}; "
                    f"set it to {identity}, or its mails enter twice"
                )
                yield Problem(f"Butler {butler.name}", "spec.modules.email.bot.inbox.endpointIdentity", text)
