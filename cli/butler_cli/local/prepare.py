"""What `butlers up` settles before it starts anything: manifests, secrets, contacts, ports.

Invariant: all problems are reported together, and by then nothing has been started, or written outside the state
directory.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from butler_cli.local.authorities import authority_problems, write_authorities
from butler_cli.local.environment import shared_environment
from butler_cli.local.instructions import instruction_problems, write_instructions
from butler_cli.local.listening import check_ports, free_ports
from butler_cli.local.plan import DASHBOARD, ProcessSpec, plan_processes, referenced_secrets, running
from butler_cli.local.ports import Ports, assign_ports
from butler_cli.local.secrets import Secrets
from butler_cli.local.state import StateDir, write_private
from butler_connectors.webhook.tokens import parse_tokens
from butler_contracts.person_settings import LIMITED
from butler_messenger.contacts.file import ContactsFileError, read_contacts
from butler_resources.kinds import (
    Butler,
    ManifestError,
    Manifests,
    Problem,
    SecretRef,
    did_you_mean,
    load_manifests,
    parse_contacts,
)
from butler_resources.render import household_problems, render_butler_toml

__all__ = [
    "Household",
    "Settled",
    "contact_problems",
    "contacts_of",
    "limit_problems",
    "naming_problems",
    "prepare",
    "process_environment",
    "settle",
    "write_configuration",
]


_BOT_TOKEN: Final = re.compile(r"\d{1,20}:\S{5,}")


@dataclass(frozen=True)
class Household:
    """Everything settled: what will run, where, with which secrets."""

    directory: Path
    manifests: Manifests
    ports: Ports
    specs: tuple[ProcessSpec, ...]
    secrets: Secrets
    contacts: str
    port_base: int | None
    declared: Manifests
    """With what is suspended."""


@dataclass(frozen=True)
class Settled:
    """What of a household does not depend on the machine's ports."""

    declared: Manifests
    """With what is suspended."""
    manifests: Manifests
    secrets: Secrets
    contacts: str


def prepare(directory: Path, *, state: StateDir, port_base: int | None, env: Mapping[str, str]) -> Household:
    """Settle a household. Raises `ManifestError` with every problem, `UserError` for ports."""
    found = settle(directory, state=state, env=env)
    manifests = found.manifests
    ports = assign_ports(manifests, base=port_base, free=free_ports())
    check_ports(ports)
    specs = plan_processes(manifests, ports=ports, state=state, python=sys.executable)
    return Household(
        directory, manifests, ports, specs, found.secrets, found.contacts, port_base, found.declared
    )


def settle(directory: Path, *, state: StateDir, env: Mapping[str, str]) -> Settled:
    """Return manifests, secrets and contacts as they will be used.

    Raises `ManifestError` with every problem.
    """
    declared = load_manifests(directory)
    manifests = running(declared)
    secrets = Secrets(state, env, manifests)
    problems = household_problems(manifests)
    problems += _local_problems(manifests, secrets)
    contacts, wrong_contacts = contacts_of(declared, manifests, secrets)
    problems += wrong_contacts
    problems += _webhook_problems(manifests, secrets)
    problems += _bot_problems(manifests, secrets)
    problems += authority_problems(manifests, secrets)
    problems += instruction_problems(manifests)
    if problems:
        raise ManifestError(problems)
    return Settled(declared, manifests, secrets, contacts)


def _webhook_problems(manifests: Manifests, secrets: Secrets) -> list[Problem]:
    """Return tokens with which the webhook would refuse to start."""
    problems = []
    for connector in manifests.connectors:
        ref = connector.spec.webhook.token_secret_ref if connector.spec.webhook is not None else None
        text = None if ref is None else secrets.find(ref)
        if ref is None or not text:
            continue
        try:
            parse_tokens(text)
        except ValueError as error:
            where = f"secret {ref.name}, key {ref.key}"
            problems.append(Problem(f"Connector {connector.name}", "", f"{where}: {error}"))
    return problems


def _bot_problems(manifests: Manifests, secrets: Secrets) -> list[Problem]:
    """Return values that cannot be a bot's token; each once, and never shown."""
    owners: dict[SecretRef, str] = {}
    for connector in manifests.connectors:
        if connector.spec.telegram_bot is not None:
            owners.setdefault(connector.spec.telegram_bot.token_secret_ref, f"Connector {connector.name}")
    for butler in manifests.butlers:
        if butler.spec.modules is not None and butler.spec.modules.telegram is not None:
            owners.setdefault(butler.spec.modules.telegram.bot.token_secret_ref, f"Butler {butler.name}")
    wrong = [
        (ref, owner)
        for ref, owner in owners.items()
        if not _BOT_TOKEN.fullmatch(secrets.find(ref) or "0:absent")
    ]
    return [
        Problem(
            owner,
            "",
            f"secret {ref.name}, key {ref.key}: is no bot token; it looks like 123456789:AAH4…, "
            "and @BotFather shows it with /token",
        )
        for ref, owner in wrong
    ]


def _local_problems(manifests: Manifests, secrets: Secrets) -> list[Problem]:
    problems = [
        Problem(f"Butler {butler.name}", "spec.database", "an external database is for clusters; remove it")
        for butler in manifests.butlers
        if butler.spec.external_database is not None
    ]
    problems += [
        Problem(
            f"{kind} {one.name}", "metadata.name", "is the name of the dashboard's process; choose another"
        )
        for kind, members in (("Butler", manifests.butlers), ("Connector", manifests.connectors))
        for one in members
        if one.name == DASHBOARD
    ]
    missing = {
        (ref.name, ref.key): Problem(owner, "", secrets.missing_line(ref))
        for owner, ref in referenced_secrets(manifests)
        if not secrets.find(ref)
    }
    return [*problems, *missing.values()]


def contacts_of(declared: Manifests, manifests: Manifests, secrets: Secrets) -> tuple[str, list[Problem]]:
    """Return the contacts as written, and why `manifests` cannot run with them; empty without a Messenger.

    A limit may also name a butler that is only `declared`: a suspended one.
    """
    text, problems = _written_contacts(manifests, secrets)
    return text, problems or [*naming_problems(manifests, text), *limit_problems(declared, text)]


def _written_contacts(manifests: Manifests, secrets: Secrets) -> tuple[str, list[Problem]]:
    for messenger in manifests.with_role("messenger"):
        source = messenger.spec.contacts_from
        text = None if source is None else secrets.find(source.secret_ref)
        if source is not None and text:
            return text, contact_problems(text, where=f"contacts (secret {source.secret_ref.name})")
    return "", []


def contact_problems(text: str, *, where: str) -> list[Problem]:
    """Return what the resource's model refuses, else what Messenger would."""
    try:
        parse_contacts(text, where=where)
        read_contacts(text)
    except ManifestError as error:
        return list(error.problems)
    except ContactsFileError as error:
        return [Problem(where, "", error.message)]
    return []


def naming_problems(manifests: Manifests, contacts: str) -> list[Problem]:
    """Return people whom a manifest names and the contacts do not.

    Messenger would not start with an approver who is neither an owner nor an adult; a schedule for somebody unknown
    would never run.
    """
    if not contacts:
        return []
    people = parse_contacts(contacts, where="contacts").root
    members = [one.name for one in people if one.role != "other"]
    adults = [one.name for one in people if one.role not in ("other", *LIMITED)]
    return [
        Problem(
            f"Butler {butler.name}",
            field,
            f"{name!r} is no {who} among the contacts; {did_you_mean(name, able)}",
        )
        for butler in manifests.butlers
        for named, who, able in (
            (_approvers(butler), "owner and no adult", adults),
            (_scheduled_for(butler), "owner and no member", members),
        )
        for field, name in named
        if name not in able
    ]


def _approvers(butler: Butler) -> list[tuple[str, str]]:
    """Return each approver in the manifest: the field, and the name."""
    modules = butler.spec.modules
    approvals = modules.approvals if modules is not None else None
    names = approvals.approvers if approvals is not None else ()
    return [(f"spec.modules.approvals.approvers[{place}]", name) for place, name in enumerate(names)]


def _scheduled_for(butler: Butler) -> list[tuple[str, str]]:
    entries = butler.spec.schedules
    return [(f"spec.schedules[{place}].to", one.to) for place, one in enumerate(entries) if one.to]


def limit_problems(manifests: Manifests, contacts: str) -> list[Problem]:
    """Return unknown butlers in the limits of a person: a typing mistake would limit otherwise."""
    if not contacts:
        return []
    known = sorted(butler.name for butler in manifests.with_role("specialist"))
    return [
        Problem(
            f"contact {person.name}",
            f"limits.{key}[{place}]",
            f"{name!r} is no butler of this household; {did_you_mean(name, known)}",
        )
        for person in parse_contacts(contacts, where="contacts").root
        if person.limits is not None
        for key, names in (("butlers", person.limits.butlers or ()), ("askFirst", person.limits.ask_first))
        for place, name in enumerate(names)
        if name not in known
    ]


def write_configuration(household: Household, state: StateDir) -> None:
    """Write every butler's `butler.toml` and the contacts."""
    for butler in household.manifests.butlers:
        port = household.ports.by_process[butler.name]
        text = render_butler_toml(butler, household.manifests.household, port=port)
        write_private(state.config_file(butler.name), text)
    write_private(state.contacts_file, household.contacts + "\n")
    write_authorities(household.manifests, household.secrets, state)
    write_instructions(household.manifests, state)
    for connector in household.manifests.connectors:
        state.cursor_file(connector.name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)


def process_environment(
    spec: ProcessSpec, *, secrets: Secrets, inherited: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Return the whole environment of one process: what it names, and little else."""
    env = shared_environment(inherited)
    # A child is started again only when its process group is gone, so its leases may be given back at once.
    env["BUTLERS_REPLICA"] = spec.name
    return env | secrets.resolve(spec.env)
