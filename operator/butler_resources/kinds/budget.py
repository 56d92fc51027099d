"""What a butler's sessions may take and cost, and what its model costs (SWB-33.1, D59).

Invariant: what bounds only a model is refused where none is asked, so that a setting never has no effect; a budget in
cents is refused while nobody knows what a token costs.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from pydantic import Field

from butler_contracts.model_urls import PRICE_UNKNOWN, PRIVATE_HTTP, is_ones_own
from butler_resources.kinds.base import ResourceModel
from butler_resources.kinds.rules import Rule

__all__ = ["TRIES_A_FAMILY", "Budget", "ModelPrice", "budget_rules"]

_MOST_CENTS: Final = 1_000_000
_OF_A_MODEL: Final = ("turns", "toolCalls", "tokens", "cents")
TRIES_A_FAMILY: Final = "(has(self.runtime.canary) && has(self.runtime.canary.family))"
"""CEL, of `ButlerSpec`: a family is tried beside the regular one."""


def _cents(description: str) -> Any:
    return Field(default=None, ge=1, le=_MOST_CENTS, description=description)


class ModelPrice(ResourceModel):
    """Price of a model's tokens, in whole cents per million. With several models, that of the most expensive one."""

    input_cents_per_million: int = Field(
        ge=0, le=1_000_000, description="Cents per million input tokens, rounded up."
    )
    output_cents_per_million: int = Field(
        ge=0, le=1_000_000, description="Cents per million output tokens, rounded up."
    )


class SessionBudget(ResourceModel):
    """Limits of one session. A field that is not set imposes no limit."""

    seconds: int | None = Field(
        default=None,
        ge=1,
        le=3600,
        description="Timeout of one session in seconds, also for family rules. The shortest of this, "
        "`runtime.timeoutSeconds` and, for routing, `routing.sessionTimeoutSeconds` applies.",
    )
    turns: int | None = Field(
        default=None,
        ge=1,
        le=32,
        description="Maximum number of answers from the model, if lower than `runtime.maxTurns`. Not for codex, which "
        "does not report them.",
    )
    tool_calls: int | None = Field(
        default=None,
        ge=1,
        le=64,
        description="Maximum number of tool calls, if lower than `runtime.maxToolCalls`.",
    )
    tokens: int | None = Field(
        default=None,
        ge=1_000,
        le=10_000_000,
        description="Maximum number of input and output tokens. A request counts as one token per byte until the model "
        "reports its input tokens. A command line is ended when it has reported as many; not for codex, which reports "
        "them at its end alone.",
    )
    cents: int | None = _cents(
        "Maximum cost of a session in cents. Family api: a request that could exceed it is not sent. claude-code and "
        "opencode are ended when they have reported as much. For codex it is only what is reserved of a day."
    )


class DayBudget(ResourceModel):
    """Limits of this butler per UTC day, over all replicas."""

    cents: int | None = _cents(
        "Maximum cost of its sessions in cents. `session.cents` is reserved for each session before it starts. What "
        "the session of a command line costs beyond that is charged too."
    )
    sessions: int | None = Field(
        default=None, ge=1, le=1_000_000, description="Maximum number of sessions that use the model."
    )


class PersonDayBudget(ResourceModel):
    """Limits per person and UTC day."""

    cents: int | None = _cents(
        "Maximum spend of all butlers of the household on one person, in cents. This butler starts no session for them "
        "that could exceed it."
    )


def _day_rule(field: str, name: str) -> Rule:
    return Rule(
        cel=f"!has(self.{name}) || !has(self.{name}.cents) || (has(self.session) && has(self.session.cents) && "
        f"self.session.cents <= self.{name}.cents)",
        message=f"`{name}.cents` needs a `session.cents` of at most the same amount, which is reserved for each "
        "session",
        holds=lambda budget: _holds_a_session(budget, field),
        path=f".{name}",
    )


def _holds_a_session(budget: Any, field: str) -> bool:
    day = getattr(budget, field)
    if day is None or day.cents is None:
        return True
    session = budget.session.cents if budget.session is not None else None
    return session is not None and session <= day.cents


class Budget(ResourceModel):
    """Limits on the cost and resources of sessions. Over budget, a session fails or `runtime.fallback` answers."""

    session: SessionBudget | None = Field(default=None, description="Limits of one session.")
    day: DayBudget | None = Field(default=None, description="Limits of this butler per UTC day.")
    person_day: PersonDayBudget | None = Field(
        default=None, description="Limits per person and UTC day, over all butlers."
    )

    RULES: ClassVar[tuple[Rule, ...]] = (_day_rule("day", "day"), _day_rule("person_day", "personDay"))

    @property
    def of_a_model(self) -> bool:
        """Whether any of it bounds what only a model does."""
        session = self.session.model_copy(update={"seconds": None}) if self.session else SessionBudget()
        return session != SessionBudget() or self.day is not None or self.person_day is not None

    @property
    def ends_by_cents(self) -> bool:
        """Whether money bounds a session alone, and not what is reserved of a day."""
        days = (day.cents for day in (self.day, self.person_day) if day is not None)
        return self.in_cents and all(cents is None for cents in days)

    @property
    def in_cents(self) -> bool:
        """Whether any of it is money: whoever asks for a day's has a session's."""
        return self.session is not None and self.session.cents is not None


def budget_rules() -> tuple[Rule, ...]:
    """The rules of `ButlerSpec` between its budget and its runtime."""
    of_a_model = " || ".join(f"has(self.budget.session.{name})" for name in _OF_A_MODEL)
    none_is_codex = _each_family("!= 'codex'")
    return (
        Rule(
            cel="!has(self.budget) || self.role != 'messenger'",
            message="messenger runs no sessions; remove `budget`",
            holds=lambda spec: spec.budget is None or spec.role != "messenger",
            path=".budget",
        ),
        Rule(
            cel=f"!has(self.budget) || self.runtime.family != 'rules' || {TRIES_A_FAMILY} || (!has(self.budget.day) && "
            f"!has(self.budget.personDay) && (!has(self.budget.session) || !({of_a_model})))",
            message="`budget` limits a model; choose a `runtime.family` other than rules, or keep only "
            "`session.seconds`",
            holds=lambda spec: spec.budget is None or bool(_asking(spec)) or not spec.budget.of_a_model,
            path=".budget",
        ),
        Rule(
            cel=f"!has(self.budget) || {none_is_codex} || !has(self.budget.session) || "
            "!has(self.budget.session.turns)",
            message="codex does not report its turns; use `session.toolCalls`",
            holds=lambda spec: not _asks_codex(spec) or _session(spec).turns is None,
            path=".budget",
        ),
        Rule(
            cel=f"!has(self.budget) || {none_is_codex} || !has(self.budget.session) || "
            "!has(self.budget.session.tokens)",
            message="codex does not report its tokens before its end; use `session.toolCalls` and `session.seconds`",
            holds=lambda spec: not _asks_codex(spec) or _session(spec).tokens is None,
            path=".budget",
        ),
        Rule(
            cel=f"!has(self.budget) || {none_is_codex} || !has(self.budget.session) || "
            "!has(self.budget.session.cents) || (has(self.budget.day) && has(self.budget.day.cents)) || "
            "(has(self.budget.personDay) && has(self.budget.personDay.cents))",
            message="codex reports its tokens at its end alone, so `session.cents` is only what is reserved of a day; "
            "set `day.cents` or `personDay.cents` too",
            holds=lambda spec: not _asks_codex(spec) or spec.budget is None or not spec.budget.ends_by_cents,
            path=".budget",
        ),
        Rule(
            cel="!has(self.budget) || !has(self.budget.session) || !has(self.budget.session.cents) || "
            f"({_priced('self.runtime')} && (!{TRIES_A_FAMILY} || {_priced('self.runtime.canary')}))",
            message=PRICE_UNKNOWN,
            holds=lambda spec: (
                spec.budget is None or not spec.budget.in_cents or all(map(_is_priced, _asking(spec)))
            ),
            path=".budget",
        ),
    )


def _each_family(test: str) -> str:
    return f"(self.runtime.family {test} && (!{TRIES_A_FAMILY} || self.runtime.canary.family {test}))"


def _priced(block: str) -> str:
    return (
        f"({block}.family == 'rules' || has({block}.price) || (has({block}.baseUrl) && "
        f"{block}.baseUrl.matches('{PRIVATE_HTTP}')))"
    )


def _asking(spec: Any) -> tuple[Any, ...]:
    """Return the blocks of the runtimes that ask a model: the regular one, and one that is tried."""
    blocks = (spec.runtime, spec.runtime.canary)
    return tuple(one for one in blocks if one is not None and one.family not in (None, "rules"))


def _asks_codex(spec: Any) -> bool:
    return any(one.family == "codex" for one in _asking(spec))


def _session(spec: Any) -> SessionBudget:
    return (spec.budget and spec.budget.session) or SessionBudget()


def _is_priced(block: Any) -> bool:
    return block.price is not None or is_ones_own(block.base_url or "")
