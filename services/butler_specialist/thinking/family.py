"""A specialist's sessions with a model: the profile's tools around a runtime family, and what stays with rules (D57).

Invariants: a model's calls count only once the session has ended with an answer: a session that breaks off leaves
nothing, so rules can stand in for it or it can be run again. Emergencies, edits, reminders, what is to be
remembered about the sender, and questions to several butlers are answered by rules, whatever runs the rest.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from uuid import UUID

from butler_contracts.language import Language
from butler_kit.markup import Words, together
from butler_kit.runtime import InProcess, Ran, RuntimeFamily, SessionJob, ToolCall
from butler_kit.runtime.api import ModelMisled
from butler_kit.wording.language import language_of
from butler_specialist.changes.named import named_in
from butler_specialist.held.wishes import hold_args
from butler_specialist.held.words import waiting_text
from butler_specialist.outside.model import Hand
from butler_specialist.outside.session import OutsideTools
from butler_specialist.outside.words import unanswered_text
from butler_specialist.people.company import Company
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.profile import Profile
from butler_specialist.profiles.reminding import last_turn, speaks_of_reminders
from butler_specialist.store.model import PRIVATE
from butler_specialist.store.own_records import OwnRecords
from butler_specialist.thinking.drafts import Told
from butler_specialist.thinking.prompt import Texts, before, payload, task_payload
from butler_specialist.thinking.shared import SharedFacts
from butler_specialist.thinking.tools import SessionTools, kinds_offered
from butler_specialist.understanding.about_me import speaks_of_memory
from butler_specialist.understanding.emergencies import alarm_in
from butler_specialist.understanding.reading import Reading, read
from butler_specialist.understanding.requests import Wish, requests_in
from butler_specialist.understanding.whose_word import whose_word
from butler_specialist.work.session import HOLD, RulesSessions

__all__ = ["OpensOutside", "RulesFirst", "WithTools"]

OpensOutside = Callable[[Hand, UUID, str], Awaitable[OutsideTools]]
"""Opens a session's outside tools, given the work, the session and the boundary."""


class WithTools:
    """Runs `family` in this process with the tools of a profile.

    `own` gives the sender's records, `outside` the tools of the tool servers, if there are any, `shared` what other
    butlers share of the sender; `texts` is what every session is told.
    """

    def __init__(
        self,
        family: RuntimeFamily,
        *,
        profile: Profile,
        rules: RulesSessions,
        own: Callable[[Answering], OwnRecords],
        max_calls: int,
        texts: Texts,
        outside: OpensOutside | None = None,
        shared: SharedFacts | None = None,
    ) -> None:
        self._family = family
        self._profile = profile
        self._rules = rules
        self._own = own
        self._max_calls = max_calls
        self._texts = texts
        self._outside = outside
        self._shared = shared

    @property
    def name(self) -> str:
        return self._family.name

    def launch(self, job: SessionJob) -> InProcess:
        """Run it in this process."""
        return InProcess(self._run)

    async def _run(self, job: SessionJob) -> Ran | None:
        answering, boundary = self._rules.answering(job.session_id), secrets.token_hex(16)
        tools = self._tools(job, answering, boundary)
        outside = await self._opened(answering, job, boundary)
        away = outside.shelf.away if outside is not None else ()
        word = whose_word(job.payload, answering.whose) if answering.household else None
        offered = (
            outside.tools(waiting=not tools.task, private=word is not None and not word.shares)
            if outside is not None
            else ()
        )
        asked = replace(
            job,
            system_text=self._texts.task if tools.task else self._texts.message,
            payload=(
                task_payload(job.payload, answering.moment, answering.currency, away=away)
                if tools.task
                else await self._payload(job, answering, boundary, away)
            ),
            tools=tools.belt(
                max_calls=self._max_calls,
                outside=offered,
                within=job.tools,
            ),
        )
        ran = await self._family.launch(asked).program(asked)
        asked.tools.seal()
        if tools.outcome is None:
            raise ModelMisled("no_answer_called", "the model came to an end without an answer")
        more = _besides(outside, _language(job, answering))
        for wish in outside.held if outside is not None else ():
            await job.tools.call(HOLD, hold_args(wish))
        for call in tools.outcome:
            said = _with_more(call, more)
            await job.tools.call(said.tool, said.args)
        return ran

    async def _payload(
        self, job: SessionJob, answering: Answering, boundary: str, away: Sequence[str]
    ) -> str:
        moment = answering.moment
        return payload(
            job.payload,
            moment,
            answering.currency,
            before(await answering.conversation.earlier(), moment),
            boundary=boundary,
            results=answering.results,
            history=answering.history,
            away=away,
            shared=await self._shared.of(answering) if self._shared is not None else (),
        )

    def _tools(self, job: SessionJob, answering: Answering, boundary: str) -> SessionTools:
        return SessionTools(
            kinds=kinds_offered((*self._profile.kept, *(PRIVATE if answering.memory else ()))),
            told=Told(job.payload, answering.moment.date(), answering.currency),
            moment=answering.moment,
            boundary=boundary,
            own=self._own(answering) if answering.household else None,
            company=Company(job.payload, answering.whose, answering.others),
            task=job.kind == "schedule",
        )

    async def _opened(self, answering: Answering, job: SessionJob, boundary: str) -> OutsideTools | None:
        if self._outside is None or answering.hand is None:
            return None
        return await self._outside(answering.hand, job.session_id, boundary)


def _language(job: SessionJob, answering: Answering) -> Language:
    return language_of(job.payload, answering.usual)


def _besides(outside: OutsideTools | None, language: Language) -> str:
    """Return what is added to a session's answer about unanswered and waiting calls."""
    if outside is None:
        return ""
    texts = (unanswered_text(outside.unanswered, language), waiting_text(outside.held, language))
    return "\n\n".join(filter(None, texts))


def _with_more(call: ToolCall, more: str) -> ToolCall:
    """Return the call; a final one gets the additional text, even if it would have been silent."""
    if more and call.tool == "answer":
        said = together([Words(call.args["text"], call.args["format"]), Words(more)])
        return ToolCall("answer", {**call.args, **said._asdict()})
    return ToolCall("answer", {"text": more}) if more and call.tool == "say_nothing" else call


class RulesFirst:
    """Runs rules for what is always theirs, and `family` for the rest."""

    def __init__(self, family: RuntimeFamily, rules: RulesSessions) -> None:
        self._family = family
        self._rules = rules

    @property
    def name(self) -> str:
        """The name of the family for the rest."""
        return self._family.name

    def launch(self, job: SessionJob) -> InProcess:
        """Run it in this process."""
        return InProcess(self._run)

    async def _run(self, job: SessionJob) -> Ran | None:
        family = self._family
        if job.by_rules and await _is_of_rules(job.payload, self._rules.answering(job.session_id)):
            family = self._rules.family
        ran = await family.launch(job).program(job)
        return ran if family is self._family else Ran(family.name, self._rules.version)


async def _is_of_rules(text: str, answering: Answering) -> bool:
    if not answering.household:
        return False
    if answering.edit is not None or answering.together is not None:
        return True
    if answering.memory and speaks_of_memory(text):
        return True
    said = whose_word(text, answering.whose)
    if said is not None and said.word.points_back:
        return True
    reading = read(text, answering.moment, whose=answering.whose, currency=answering.currency)
    if alarm_in(reading) is not None or speaks_of_reminders(reading):
        return True
    if _only_undoes(reading):
        return True
    last = last_turn(await answering.conversation.earlier())
    return last is not None and last.fresh and last.question is not None and not last.question.shown


def _only_undoes(reading: Reading) -> bool:
    """Return whether a message takes back the last one and names no entry."""
    requests = requests_in(reading)
    if len(requests) != 1 or len(reading.sentences) != 1 or requests[0].wish is not Wish.TAKE_BACK:
        return False
    sentence = requests[0].sentence
    return named_in(sentence, days=sentence.days, sums=tuple(one.value for one in sentence.amounts)).is_bare
