"""One session per subrequest: the profile's program calls `record` and `answer`; its ledger is the outcome (D12).

Invariant: the program only records and reads; nothing is written or told before the session has ended. Text from
outside reaches it as the job's payload, never as an instruction.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol
from uuid import UUID

from butler_contracts.budgets import ends_a_budget
from butler_contracts.errors import ButlerError, ErrorClass, ErrorDetail, InternalFailure, ValidationFailed
from butler_contracts.language import Language
from butler_contracts.people import PeopleV1
from butler_kit.markup import Words
from butler_kit.queue import Lease
from butler_kit.runtime import RulesFamily, SessionJob, SessionResult, SessionTool, Spawner, ToolBelt
from butler_kit.runtime.history import NO_HISTORY, History
from butler_kit.telemetry import SpanName, get_logger, span
from butler_kit.wording.language import language_of
from butler_specialist.edits.respond import EDITED, overtaken_text, respond
from butler_specialist.held.model import MOST_HELD
from butler_specialist.held.wishes import HOLD_SCHEMA, rows_of, wish_of
from butler_specialist.outside.model import Hand
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.profile import Profile
from butler_specialist.profiles.reply import Reply
from butler_specialist.profiles.subject import MOST_FACTS
from butler_specialist.remind.reach import reach_of
from butler_specialist.store.model import Outcome, RoutedWork
from butler_specialist.store.reminder_model import MOST_REMINDERS
from butler_specialist.understanding.about_me import forgets_all
from butler_specialist.understanding.urgency import is_urgent
from butler_specialist.understanding.whose_word import whose_word
from butler_specialist.work.answers import failed, succeeded
from butler_specialist.work.budget_text import budget_text
from butler_specialist.work.ledger import (
    ANSWER_SCHEMA,
    ASK_SCHEMA,
    CHANGE_SCHEMA,
    RECORD_SCHEMA,
    SILENT_SCHEMA,
    ask_args,
    change_args,
    change_from,
    claims_args,
    claims_from,
    draft_of,
    question_from,
    record_args,
)
from butler_specialist.work.reminder_ledger import (
    REMIND_SCHEMA,
    STOP_SCHEMA,
    reminder_args,
    reminder_of,
    stop_args,
    stop_of,
)
from butler_specialist.work.scheduled import told_by_schedule
from butler_specialist.work.standing_ledger import FOLLOW_SCHEMA, follow_args, follow_of
from butler_specialist.work.tellings import (
    ASIDE_SCHEMA,
    MOST_TELLINGS,
    TELL_SCHEMA,
    aside_of,
    tell_args,
    tell_of,
    tellings_of,
)

__all__ = ["ASK", "HOLD", "TOOLS", "RulesSessions", "SessionSettings", "Sessions"]

_log = get_logger(__name__)

RECORD: Final = "record"
CHANGE: Final = "change"
ASK: Final = "ask"
ANSWER: Final = "answer"
SILENT: Final = "say_nothing"
REMIND: Final = "remind"
STOP: Final = "stop_reminder"
FOLLOW: Final = "remind_of"
TELL: Final = "tell"
ASIDE: Final = "tell_aside"
HOLD: Final = "call_when_approved"
TOOLS: Final = (
    SessionTool(RECORD, "Keep one dated fact of the message.", RECORD_SCHEMA),
    SessionTool(CHANGE, "Change, or withdraw, a fact that was kept before.", CHANGE_SCHEMA),
    SessionTool(ASK, "Keep which facts are meant, where the answer asks for one of them.", ASK_SCHEMA),
    SessionTool(REMIND, "Remind whoever wrote, at a moment or by a rule.", REMIND_SCHEMA),
    SessionTool(STOP, "Remind them of this no more.", STOP_SCHEMA),
    SessionTool(FOLLOW, "Remind them of their records of a kind by itself, or no more.", FOLLOW_SCHEMA),
    SessionTool(TELL, "Tell another member of the household words of the message.", TELL_SCHEMA),
    SessionTool(ASIDE, "Tell whoever wrote in their own chat what is not said in a group.", ASIDE_SCHEMA),
    SessionTool(HOLD, "Make a call outside once somebody has approved of it.", HOLD_SCHEMA),
    SessionTool(SILENT, "Leave the answer to the others who are asked the same.", SILENT_SCHEMA),
    SessionTool(ANSWER, "Say what was understood; exactly once, at the end.", ANSWER_SCHEMA),
)
_MOST_CALLS: Final = 2 * MOST_FACTS + 2 * MOST_REMINDERS + MOST_TELLINGS + MOST_HELD + 5
"""The most calls in one session.

Facts and their changes, reminders and their stops, messages to others, held calls, a standing wish, a note of what
was beyond them, a question, and the answer.
"""


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """The name, model, time limit and prompt versions of a butler's sessions."""

    own_name: str
    model: str | None
    timeout_s: float
    prompt_version: str
    task_version: str
    """The version of the instructions for a scheduled task, which has no message."""


class ReadsThreads(Protocol):
    """Reads what was said before in the thread of a message, for a model."""

    async def before(self, work: RoutedWork) -> History: ...


class RulesSessions:
    """The `rules` family: each session runs the profile's understanding on its own message."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._answering: dict[UUID, Answering] = {}
        self.family = RulesFamily(self._run)
        self.version = profile.prompt_version

    def prepare(self, session_id: UUID, answering: Answering) -> None:
        self._answering[session_id] = answering

    def answering(self, session_id: UUID) -> Answering:
        """Return what the running session may know."""
        return self._answering[session_id]

    def forget(self, session_id: UUID) -> None:
        self._answering.pop(session_id, None)

    async def _run(self, job: SessionJob) -> None:
        answering = self._answering[job.session_id]
        reply = await respond(self._profile, job.payload, answering)
        for draft in reply.records:
            await job.tools.call(RECORD, record_args(draft))
        for change in reply.changes:
            await job.tools.call(CHANGE, change_args(answering.kept(change)))
        if reply.question is not None:
            await job.tools.call(ASK, ask_args(reply.question))
        for reminder in reply.reminders:
            await job.tools.call(REMIND, reminder_args(reminder))
        for stop in reply.reminder_stops:
            await job.tools.call(STOP, stop_args(stop))
        for wish in reply.wishes:
            await job.tools.call(FOLLOW, follow_args(wish))
        for telling in reply.tellings:
            await job.tools.call(TELL, tell_args(telling))
        claims = claims_args(reply.claims)
        if reply.aside:
            await job.tools.call(ASIDE, {"text": reply.aside})
        if reply.silent:
            await job.tools.call(SILENT, claims)
        else:
            await job.tools.call(ANSWER, {"text": reply.text, **claims})


class Sessions:
    """Runs the session of a subrequest; `known` first receives the household's people and their addresses."""

    def __init__(
        self,
        *,
        settings: SessionSettings,
        profile: Profile,
        spawner: Spawner,
        rules: RulesSessions,
        answering: Callable[[RoutedWork], Answering],
        threads: ReadsThreads | None,
        known: Callable[[PeopleV1], Awaitable[object]],
        new_id: Callable[[], UUID],
    ) -> None:
        self._settings = settings
        self._profile = profile
        self._spawner = spawner
        self._rules = rules
        self._answering = answering
        self._threads = threads
        self._known = known
        self._new_id = new_id

    async def run(self, work: RoutedWork, lease: Lease) -> Outcome:
        """Run the session and return its outcome, success or failure.

        Raises a retryable `ButlerError` if a retry may work.
        """
        if work.people is not None:
            await self._known(work.people)
        history = await self._threads.before(work) if self._threads is not None else NO_HISTORY
        job = self._job(work, history)
        answering = replace(self._answering(work), history=history, hand=_hand(work, lease))
        self._rules.prepare(job.session_id, answering)
        try:
            with span(SpanName.LLM_SESSION, butler=self._settings.own_name):
                result = await self._spawner.trigger(job, _source(work))
        finally:
            self._rules.forget(job.session_id)
        if result.error is not None and result.status != "completed" and ends_a_budget(result.error):
            return _used_up(result.error, language_of(job.payload, answering.usual))
        return self._outcome(work, result, answering)

    def _job(self, work: RoutedWork, history: History) -> SessionJob:
        """Build the job; a scheduled task cannot be run by rules and has instructions of its own."""
        envelope, settings, task = work.envelope, self._settings, work.scheduled is not None
        return SessionJob(
            session_id=self._new_id(),
            kind="schedule" if task else "route",
            system_text=self._profile.prompt,
            payload=envelope.input.prompt,
            tools=ToolBelt(TOOLS, max_calls=_MOST_CALLS),
            model=settings.model,
            prompt_version=settings.task_version if task else settings.prompt_version,
            deadline_s=min(settings.timeout_s, envelope.limits.route_timeout_s),
            request_id=work.request_id,
            tags=history.tags,
            person=work.contact_id,
            by_rules=not task,
        )

    def overtaken(self, work: RoutedWork) -> Outcome:
        """Return the outcome of a former version of a message whose edit was worked on first."""
        text = overtaken_text(work.envelope.input.prompt)
        return self._succeeded(work, Reply((), text), self._answering(work).usual)

    def _outcome(self, work: RoutedWork, result: SessionResult, answering: Answering) -> Outcome:
        if result.error is not None and result.status != "completed":
            return self._failed(work, result.error, result.status)
        try:
            reply = _as_said(_read(result), work, answering)
            tellings = tellings_of(
                work,
                reply.tellings,
                answering.others,
                own_name=self._settings.own_name,
                usual=answering.usual,
            )
        except ValidationFailed as problem:
            return self._not_kept(problem.message)
        tellings += aside_of(work, reply.aside, answering.me, own_name=self._settings.own_name)
        if reply.silent and work.envelope.together is not None:
            return _claiming(Outcome(result={"records": 0}, forgets=_forgets(work, answering)), reply)
        if work.scheduled is not None and (reply.silent or reply.text):
            return replace(self._of_schedule(work, reply), tellings=tellings)
        if not reply.text:
            return failed(InternalFailure("the session ended without an answer").to_detail())
        if reply.reminders and reach_of(work.envelope.request_context, work.people) is None:
            return self._not_kept("a reminder for somebody to whom nothing can be sent")
        held = rows_of(work, reply.held, language_of(work.envelope.input.prompt, answering.usual))
        kept = replace(self._succeeded(work, reply, answering.usual), tellings=tellings, held=tuple(held))
        outcome = _claiming(replace(kept, forgets=_forgets(work, answering)), reply)
        return _told_by_whom(outcome, result)

    def _of_schedule(self, work: RoutedWork, reply: Reply) -> Outcome:
        """Return the outcome with what was recorded and what is told, which may be nothing."""
        counts = {"records": len(reply.records)} | ({"changes": len(reply.changes)} if reply.changes else {})
        outcome = Outcome(result=counts, records=reply.records, changes=reply.changes)
        if reply.silent:
            return outcome
        told = Words(reply.text, reply.format)
        return told_by_schedule(work, outcome, told, own_name=self._settings.own_name)

    def _failed(self, work: RoutedWork, why: ErrorDetail, status: str) -> Outcome:
        """Return the outcome of a session that broke off.

        Raises an error that a later session may not meet.
        """
        if why.error_class is ErrorClass.VALIDATION_ERROR:
            return self._not_kept(why.message)
        error = ButlerError.from_detail(why)
        if work.scheduled is not None and why.error_class is ErrorClass.TARGET_UNAVAILABLE:
            error.retryable = True  # nobody waits: the model may be back within the grace
        if error.retryable and status == "failed":
            raise error
        return failed(why)

    def _succeeded(self, work: RoutedWork, reply: Reply, usual: Language) -> Outcome:
        """Return the outcome; what the owner reads of a stranger's message is in the household's language."""
        household = work.envelope.request_context.sender_class == "household"
        outcome = succeeded(
            work.envelope,
            answer=reply.text,
            format=reply.format,
            records=reply.records,
            own_name=self._settings.own_name,
            language=language_of(work.envelope.input.prompt, usual) if household else usual,
            sender=work.contact_name,
            urgent=is_urgent(work.envelope),
            changes=reply.changes,
            question=reply.question,
        )
        return replace(
            outcome, reminders=reply.reminders, reminder_stops=reply.reminder_stops, wishes=reply.wishes
        )

    def _not_kept(self, problem: str) -> Outcome:
        """Return the outcome for an invalid record: a defect of our program, not explained to the sender."""
        _log.error("record_refused", problem=problem)
        name = self._settings.own_name
        failure = InternalFailure(f"{name} could not keep what it understood; its log has the reason")
        return failed(failure.to_detail())


def _source(work: RoutedWork) -> str:
    """Return what triggers the session, as its row names it (SWB-25.3)."""
    return f"schedule:{work.scheduled.name}" if work.scheduled is not None else "route"


def _hand(work: RoutedWork, lease: Lease) -> Hand | None:
    """Return the means to call outside, for a current message of an adult only (D22).

    Messages of others, of machines and from the past do nothing outside.
    """
    context = work.envelope.request_context
    if work.role is not None:
        return None
    if context.sender_class != "household" or context.reply_policy != "allow" or context.automatic:
        return None
    return Hand(work.request_id, work.envelope.subrequest.segment_id, work.subrequest_id, lease.lease_id)


def _used_up(error: ErrorDetail, language: Language) -> Outcome:
    """Return the outcome of a used-up budget, worded for the sender."""
    bound = error.original_class or ""
    return failed(error.model_copy(update={"message": budget_text(bound, language)}), tags=(bound,))


def _claiming(outcome: Outcome, reply: Reply) -> Outcome:
    """Return the outcome with the answer's claims."""
    return replace(outcome, result={**(outcome.result or {}), **claims_args(reply.claims)})


def _told_by_whom(outcome: Outcome, result: SessionResult) -> Outcome:
    """Return the outcome.

    Where another family stood in, with its name and why the configured one did not run.
    """
    if result.error is None:
        return outcome
    why = f"model_{result.error.original_class or result.error.error_class.value}"
    said = {**(outcome.result or {}), "runtime": result.family, "runtime_reason": why}
    return replace(outcome, result=said, tags=(*outcome.tags, f"runtime:{result.family}:{why}"))


def _read(result: SessionResult) -> Reply:
    """Return the reply made of a session's calls; its text is empty where nothing was answered."""
    calls: dict[str, list[dict[str, Any]]] = {tool.name: [] for tool in TOOLS}
    for call in result.tool_calls:
        calls[call.tool].append(dict(call.args))
    return Reply(
        records=tuple(draft_of(args) for args in calls[RECORD]),
        text="".join(args["text"] for args in calls[ANSWER][-1:]),
        changes=tuple(change_from(args) for args in calls[CHANGE]),
        question=next((question_from(args) for args in calls[ASK]), None),
        reminders=tuple(reminder_of(args) for args in calls[REMIND]),
        reminder_stops=tuple(stop_of(args) for args in calls[STOP]),
        silent=bool(calls[SILENT]),
        claims=tuple(claim for args in (calls[ANSWER] or calls[SILENT])[-1:] for claim in claims_from(args)),
        wishes=tuple(follow_of(args) for args in calls[FOLLOW]),
        tellings=tuple(tell_of(args) for args in calls[TELL]),
        aside="".join(args["text"] for args in calls[ASIDE][-1:]),
        held=tuple(wish_of(args) for args in calls[HOLD]),
        format=next((args.get("format", "plain") for args in calls[ANSWER][-1:]), "plain"),
    )


def _forgets(work: RoutedWork, answering: Answering) -> bool:
    """Return whether the message asks to forget all that is known of its sender, facts or none."""
    return answering.memory and answering.household and forgets_all(work.envelope.input.prompt)


def _as_said(reply: Reply, work: RoutedWork, answering: Answering) -> Reply:
    """Return the reply with its facts owned as the sender's own words say, whatever ran it (ADR 0100)."""
    said = whose_word(work.envelope.input.prompt, answering.whose) if answering.household else None
    if said is None:
        return reply
    changes = tuple(
        replace(one, after=said.of(one.after), whose=True)
        if one.cause == EDITED and one.after is not None
        else one
        for one in reply.changes
    )
    return replace(reply, records=said.of_all(reply.records), changes=changes)
