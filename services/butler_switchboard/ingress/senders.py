"""Decides who a sender is and who may be told about the message (pure; D22, D23).

Household members may instruct and are answered. Everyone else is content: recorded, reported to the owner, never
answered. Automatic mail and late messages are recorded in silence. A mail counts as a member's only with proof:
the DMARC verdict of a mail server whose name is configured, a mailbox that accepts nothing else, or the word of the
household's operator, who typed it. Invariant: without a configured name no header proves anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from butler_contracts.addresses import comparable_address
from butler_contracts.context import RequestContext
from butler_contracts.ingest import IngestEnvelopeV1, SourceChannel
from butler_contracts.keys import is_own_message_id
from butler_contracts.people import PEOPLE_MAX, PeopleV1, PersonV1
from butler_contracts.person_settings import PersonSettings
from butler_contracts.triage import mail_headers
from butler_switchboard.ingress.moment import said_at

__all__ = ["ContactBook", "SenderDecision", "SenderPolicy", "classify_sender", "is_automatic_mail"]

SenderClass = Literal["household", "other"]
ReplyPolicy = Literal["allow", "owner", "none"]
Headers = Mapping[str, Sequence[str]]

CATCH_UP_HORIZON = timedelta(hours=24)
"""A message older than this when it arrives is history: nobody expects an answer any more (D22)."""

_VERSION = "1"
_BULK_PRECEDENCE = frozenset({"bulk", "junk", "list", "auto_reply"})
_SYSTEM_SENDERS = ("mailer-daemon@", "postmaster@")


@dataclass(frozen=True)
class ContactBook:
    """The household as Switchboard sees it: `(identifier type, normalised value)` of owner and members.

    `people` has their names, also of those without any identifier; `settings` has those of people with their own.
    `owner` is the owner's name.
    """

    members: frozenset[tuple[str, str]]
    has_owner: bool
    people: tuple[PersonV1, ...] = ()
    settings: Mapping[UUID, PersonSettings] = field(default_factory=dict)
    owner: str = ""
    owner_id: UUID | None = None

    def is_member(self, kind: str, value: str) -> bool:
        return _comparable(kind, value) in self.members

    def name_of(self, channel: str, identity: str) -> str | None:
        """Return the household's name for the person at this address, or None if it has none."""
        address = _comparable(channel, identity)
        return next((person.name for person in self.people if address in _addresses(person)), None)

    def people_of(self, context: RequestContext) -> PeopleV1 | None:
        """Return the people that a message's butler may be told about; None if it is not a member's (D22)."""
        if context.sender_class != "household" or not self.people:
            return None
        return self._around(self._sender(context))

    def people_around(self, name: str | None) -> PeopleV1 | None:
        """Return the people for a butler working for the member of this name, or the owner; else None."""
        named = {one.contact_id for one in self.people if one.name == name}
        wanted = {self.owner_id} if name is None else named
        meant = next((one for one in self.people if one.contact_id in wanted), None)
        return self._around(meant) if meant is not None else None

    def _around(self, who: PersonV1 | None) -> PeopleV1:
        people = [self._with_role(person) for person in self.people]
        first = next((one for one in people if who is not None and one.contact_id == who.contact_id), None)
        told = sorted(people, key=lambda person: (person is not first, person.name))[:PEOPLE_MAX]
        return PeopleV1(
            sender=first.contact_id if first is not None else None,
            members=tuple(sorted(told, key=lambda person: person.name)),
        )

    def _with_role(self, person: PersonV1) -> PersonV1:
        own = self.settings.get(person.contact_id)
        return (
            person.model_copy(update={"role": own.standing}) if own is not None and own.standing else person
        )

    def person_of(self, context: RequestContext) -> UUID | None:
        """Return the contact who wrote a message; None for anybody else."""
        sender = self._sender(context) if context.sender_class == "household" else None
        return sender.contact_id if sender is not None else None

    def _sender(self, context: RequestContext) -> PersonV1 | None:
        address = _comparable(context.source_channel.value, context.source_sender_identity)
        return next((person for person in self.people if address in _addresses(person)), None)


@dataclass(frozen=True)
class SenderPolicy:
    """What proves a mail: verdicts of servers with these names (`authserv-id`), wholly trusted mailboxes."""

    trusted_authserv_ids: tuple[str, ...] = ()
    trusted_endpoints: tuple[str, ...] = ()


@dataclass(frozen=True)
class SenderDecision:
    sender_class: SenderClass
    reply_policy: ReplyPolicy
    automatic: bool
    reason: str


def _comparable(kind: str, value: str) -> tuple[str, str]:
    return kind, comparable_address(value) if kind == "email" else value.strip().lower()


def _addresses(person: PersonV1) -> set[tuple[str, str]]:
    return {(address.channel, address.value) for address in person.addresses}


def classify_sender(
    envelope: IngestEnvelopeV1,
    book: ContactBook,
    policy: SenderPolicy,
    *,
    now: datetime,
    vouched: bool = False,
) -> SenderDecision:
    """Decide who sent this, and who may be told; `request_context` carries the decision from here on.

    `vouched` means that the household's operator typed it and says whose it is.
    """
    headers = mail_headers(envelope)
    sender_class, reason = _sender_class(envelope, book, policy, headers, vouched=vouched)
    automatic = envelope.source.channel is SourceChannel.EMAIL and is_automatic_mail(
        headers, sender=envelope.sender.identity
    )
    if automatic:
        return SenderDecision(sender_class, "none", True, "automatic mail")
    if envelope.control.backfill_job_id is not None:
        return SenderDecision(sender_class, "none", False, "read from history")
    if now - said_at(envelope.event.observed_at, now) > CATCH_UP_HORIZON:
        return SenderDecision(sender_class, "none", False, "older than 24 hours on arrival")
    return SenderDecision(sender_class, "allow" if sender_class == "household" else "owner", False, reason)


def _sender_class(
    envelope: IngestEnvelopeV1, book: ContactBook, policy: SenderPolicy, headers: Headers, *, vouched: bool
) -> tuple[SenderClass, str]:
    channel = envelope.source.channel
    if channel in (SourceChannel.API, SourceChannel.MCP):
        return "household", "the submitter holds a token of this household"
    if not book.is_member(channel.value, envelope.sender.identity):
        return "other", "the sender is not in the contacts"
    if channel is not SourceChannel.EMAIL:
        return "household", "the sender is a member of the household"
    if vouched:
        return "household", "a member's address, by the operator's word"
    return _mail_class(envelope, policy, headers)


def _mail_class(
    envelope: IngestEnvelopeV1, policy: SenderPolicy, headers: Headers
) -> tuple[SenderClass, str]:
    if envelope.source.endpoint_identity in policy.trusted_endpoints:
        return "household", "the mailbox accepts only the household"
    if not names_one_author(headers, envelope.sender.identity):
        return "other", "a member's address, but From is missing or may be read in two ways"
    domain = envelope.sender.identity.rpartition("@")[2].lower()
    if has_dmarc_pass(headers, domain=domain, trusted=policy.trusted_authserv_ids):
        return "household", "a member's address, proven by DMARC"
    return "other", "a member's address without proof (no DMARC pass)"


def has_dmarc_pass(headers: Headers, *, domain: str, trusted: Sequence[str]) -> bool:
    """Return whether a trusted `Authentication-Results` line (RFC 8601) says `dmarc=pass` for this From domain.

    Of the lines with a trusted name the topmost counts: the server adds its own above what it was sent. Anybody can
    write such a line, so without a name that is known beforehand none counts (§5, §7.1).
    """
    known = {name.strip().lower() for name in trusted}
    named = [line for line in headers.get("authentication-results", []) if _authserv_id(line) in known]
    return bool(named) and _line_passes(named[0], domain)


def _authserv_id(line: str) -> str | None:
    """Return the server's name: the first word after any comments, then at most the known version (§2.2)."""
    bare = _bare(line)
    words = [] if bare is None else bare.split(";", 1)[0].split()
    return words[0].lower() if words and words[1:] in ([], [_VERSION]) else None


def names_one_author(headers: Headers, address: str) -> bool:
    """Return whether `From` is one field that says `address` and nothing else that looks like an address.

    If two readers of the field could see two authors, the verdict may be about the other one (RFC 7489 §6.6.1).
    """
    fields = headers.get("from", [])
    if len(fields) != 1:
        return False
    bare = _bare(fields[0])
    if bare is None or bare.count("@") != 1:
        return False
    said = bare.strip()
    if said.endswith(">"):
        said = said[said.rfind("<") + 1 : -1]
    # Lower case maps some letters of other scripts to ASCII: U+212A to k.
    return said.lower() == address.lower() and said.isascii() == address.isascii()


def _line_passes(line: str, domain: str) -> bool:
    bare = _bare(line)
    if bare is None:
        return False
    results = [words for clause in bare.lower().split(";")[1:] if (words := clause.split())]
    verdicts = [words for words in results if words[0].startswith("dmarc=")]
    if len(verdicts) != 1 or verdicts[0][0] != "dmarc=pass":
        return False
    claimed = [word for word in verdicts[0] if word.startswith("header.from=")]
    return claimed == [f"header.from={domain}"]


def _bare(field: str) -> str | None:
    """Return a header field without what a sender can write into it: nested comments and quoted strings.

    None if the field ends inside one (RFC 5322 §3.2).
    """
    kept: list[str] = []
    depth, quoted, escaped = 0, False, False
    for char in field:
        if escaped:
            escaped = False
        elif char == "\\" and (quoted or depth):
            escaped = True
        elif quoted:
            quoted = char != '"'
        elif depth or char == "(":
            depth += (char == "(") - (char == ")")
        elif char == '"':
            quoted = True
        else:
            kept.append(char)
            continue
        kept.append(" ")
    return None if depth or quoted or escaped else "".join(kept)


def is_automatic_mail(headers: Headers, *, sender: str) -> bool:
    """Return whether a machine, or we, wrote this mail (RFC 3834): answering it could start a loop (D23)."""
    if any(name.startswith("list-") for name in headers):
        return True
    if any(line.split(";")[0].strip().lower() != "no" for line in headers.get("auto-submitted", [])):
        return True
    if any(line.strip().lower() in _BULK_PRECEDENCE for line in headers.get("precedence", [])):
        return True
    if any(line.strip() == "<>" for line in headers.get("return-path", [])):
        return True
    if sender.lower().startswith(_SYSTEM_SENDERS):
        return True
    return any(is_own_message_id(line) for line in headers.get("message-id", []))
