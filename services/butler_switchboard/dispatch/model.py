"""The state of a request as dispatch sees it (frozen models; D12, SWB-30)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from butler_contracts.context import RequestContext
from butler_contracts.errors import ErrorDetail
from butler_contracts.ingest import PolicyTier
from butler_contracts.language import Language
from butler_switchboard.ingress.message import InboxMessage
from butler_switchboard.rollouts.trial import Trial

__all__ = [
    "AbortPolicy",
    "Branch",
    "Correcting",
    "FanoutMode",
    "Held",
    "JoinPolicy",
    "Offered",
    "PersonOf",
    "Plan",
    "PlannedTarget",
    "RequestState",
    "Settling",
    "Subroute",
    "SubrouteState",
    "Word",
]

PersonOf = Callable[[RequestContext], Awaitable[UUID | None]]
"""Finds the contact who wrote a message; None for a stranger."""


class FanoutMode(StrEnum):
    """How the branches of a plan depend on each other (SWB-30)."""

    PARALLEL = "parallel"
    ORDERED = "ordered"
    CONDITIONAL = "conditional"


class JoinPolicy(StrEnum):
    """When the whole counts as done: every required branch, or any branch, succeeded."""

    ALL = "all"
    ANY = "any"


class AbortPolicy(StrEnum):
    """What a failed branch does to the later ones of an ordered plan."""

    CONTINUE = "continue"
    STOP = "stop"


class SubrouteState(StrEnum):
    PENDING = "pending"
    ACCEPTED = "accepted"
    STARTED = "started"
    OK = "ok"
    ERROR = "error"
    SKIPPED = "skipped"

    @property
    def terminal(self) -> bool:
        return self in _TERMINAL


_TERMINAL = frozenset({SubrouteState.OK, SubrouteState.ERROR, SubrouteState.SKIPPED})


@dataclass(frozen=True)
class PlannedTarget:
    """One branch: which butler gets which part of the message.

    For an edit, `supersedes` is what this butler has of the former versions (a `SupersedesV1` as JSON); for a reply,
    `replied` is which of this butler's messages is meant (a `RepliedV1`). `away` means that neither it nor a stand-in
    could be asked when the message was routed: its part waits until it can (ADR 0084). `precedence` is the butler's
    arbitration priority in the registry at that time (ADR 0096).
    """

    position: int
    segment_id: str
    butler: str
    prompt: str
    segment: dict[str, Any] | None = None
    required: bool = True
    supersedes: dict[str, Any] | None = None
    replied: dict[str, Any] | None = None
    away: bool = False
    precedence: int = 0


@dataclass(frozen=True)
class Correcting:
    """What a member's correction does to an earlier message of theirs: which butler's part goes to whom.

    `otherwise` is said if that turns out to be too late; `held` is said, by name, of a butler that takes nothing.
    `language` is that of what else is said once it is done.
    """

    request_id: UUID
    butler: str
    to: str
    otherwise: str
    held: Mapping[str, str]
    language: Language = "en"


@dataclass(frozen=True)
class Settling:
    """A member's answer to the offer of a rule (ADR 0111)."""

    rule_id: UUID
    butler: str
    always: bool
    language: Language = "en"


@dataclass(frozen=True)
class Offered:
    """A button of Switchboard's own under what it says."""

    id: str
    label: str


class Word(StrEnum):
    """What became of what a plan holds."""

    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    """Who wrote it changed it, or took it back."""
    UNASKED = "unasked"
    """Nobody could be asked."""


@dataclass(frozen=True)
class Held:
    """The parts that a grown-up has to agree to before their butlers get them (ADR 0124).

    `owner` is who is named until `asked`, the names of those who were asked, is known; they may say their word until
    `until`. `besides` is said of parts that nobody is asked about. `language` is that of who wrote the message.
    Only `asked`, `until`, `word` and `said_by` are added after the commit, the word once.
    """

    targets: tuple[PlannedTarget, ...]
    owner: str
    language: Language = "en"
    besides: str | None = None
    urgent: bool = False
    asked: tuple[str, ...] | None = None
    until: datetime | None = None
    word: Word | None = None
    said_by: str | None = None

    @property
    def whom(self) -> str:
        """Return who is asked, by name."""
        return ", ".join(self.asked or ()) or self.owner


@dataclass(frozen=True)
class PolicyInForce:
    """What the request's tier allowed when it was routed, in seconds and attempts (SWB-34.1); a record alone.

    Targets with time-outs of their own have had those.
    """

    session_timeout_s: float
    accept_timeout_s: float
    run_timeout_s: float
    patience_s: float
    circuit_patience_s: float
    max_attempts: int


@dataclass(frozen=True)
class Plan:
    """The routing decision as it was committed; never changed afterwards (D12), but for what it holds.

    What it holds joins its targets, once, when somebody agrees; a release of before this says `said` instead.
    A plan without targets says in `error` why nothing could be routed, or is the empty plan of a message that is only
    recorded (an edit that changes no word, D54).
    """

    request_id: UUID
    targets: tuple[PlannedTarget, ...]
    family: str
    model_version: str
    prompt_version: str
    decided_by: str
    confidence: float | None
    fallback: bool
    reason: str
    fanout_mode: FanoutMode = FanoutMode.PARALLEL
    join_policy: JoinPolicy = JoinPolicy.ALL
    abort_policy: AbortPolicy = AbortPolicy.CONTINUE
    error: ErrorDetail | None = None
    said: str | None = None
    """What Switchboard itself answers."""
    offers: tuple[Offered, ...] = ()
    """The buttons under that."""
    corrects: Correcting | None = None
    settles: Settling | None = None
    trial: Trial | None = None
    """What it tells about a candidate on trial (SWB-36.1)."""
    policy: PolicyInForce | None = None
    held: Held | None = None
    takes_back: UUID | None = None
    """The request that its writer takes back by a button, before anybody agreed to it."""

    @property
    def waits_for_a_word(self) -> bool:
        """Return whether somebody has still to agree to a part, or not."""
        return self.held is not None and self.held.word is None

    def target_at(self, position: int) -> PlannedTarget:
        return next(target for target in self.targets if target.position == position)


@dataclass(frozen=True)
class Subroute:
    """One attempt at one branch, as stored.

    `waiting_since` is when its first try failed, or met an open circuit; `replay_of` names the dead letter whose replay
    it belongs to; `late_ok` means that its target reported success after the end, which changed nothing (D17).
    """

    subrequest_id: UUID
    segment_id: str
    target: str
    attempt: int
    position: int
    state: SubrouteState
    transport_tries: int = 0
    next_try_at: datetime | None = None
    waiting_since: datetime | None = None
    accepted_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    deadline_at: datetime | None = None
    error: ErrorDetail | None = None
    response: dict[str, Any] | None = None
    duration_ms: float | None = None
    replay_of: UUID | None = None
    late_ok: bool = False


@dataclass(frozen=True)
class Branch:
    """An attempt to be added."""

    segment_id: str
    target: str
    attempt: int
    position: int
    next_try_at: datetime | None = None
    replay_of: UUID | None = None
    rerouted_from: UUID | None = None


@dataclass(frozen=True)
class RequestState:
    """Everything that the next step of a request is decided from."""

    message: InboxMessage
    plan: Plan | None
    subroutes: tuple[Subroute, ...]

    @property
    def request_id(self) -> UUID:
        return self.message.request_id

    @property
    def tier(self) -> PolicyTier:
        return self.message.context.policy_tier

    @property
    def concluded(self) -> bool:
        return self.message.final_state_at is not None

    @property
    def replayed(self) -> bool:
        """Whether an operator had some of it sent again."""
        return any(subroute.replay_of is not None for subroute in self.subroutes)

    def tries(self, subroute: Subroute) -> int:
        """Return how many attempts its branch has had at this target up to this one, since any replay."""
        first = min(
            item.attempt
            for item in self.subroutes
            if (item.position, item.target, item.replay_of)
            == (subroute.position, subroute.target, subroute.replay_of)
        )
        return subroute.attempt - first + 1

    def latest(self) -> tuple[Subroute, ...]:
        """Return the newest attempt of each branch, in plan order."""
        newest: dict[int, Subroute] = {}
        for subroute in self.subroutes:
            known = newest.get(subroute.position)
            if known is None or known.attempt < subroute.attempt:
                newest[subroute.position] = subroute
        return tuple(newest[position] for position in sorted(newest))
