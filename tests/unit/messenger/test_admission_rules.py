"""Who may ask, who is answered, where it goes, under which key (MSG-6.2, MSG-7, MSG-13, D1, D2, D22, D23, D45)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.errors import OverloadRejected, TargetUnavailable, ValidationFailed
from butler_contracts.notify import NotifyRequestV1
from butler_contracts.parse import parse
from butler_kit.auth import Caller, Forbidden, Role
from butler_messenger.admission.conversation import ANSWERS_AN_HOUR, check_answered
from butler_messenger.admission.identity import deliverable_identity
from butler_messenger.admission.key import canonical_key
from butler_messenger.admission.limits import (
    AdmissionLimits,
    Demand,
    RateLimited,
    RateLimits,
    Standing,
    channel_share,
    cost_of,
    demands,
    refusal,
)
from butler_messenger.admission.policy import (
    RecipientPolicy,
    check_answerable,
    check_not_disguised,
    check_told,
)
from butler_messenger.admission.resolve import Contact, MissingIdentifier, Target, resolve
from butler_messenger.admission.validate import authenticated_wish, read_envelope
from tests.integration.messenger.household import envelope, notify, request_context

OWNER, BEN = uuid4(), uuid4()


@dataclass
class Book:
    """Contacts in memory."""

    known: dict[tuple[UUID, str], str] = field(default_factory=dict)
    owned: bool = True

    async def owner(self) -> Contact | None:
        return Contact(OWNER, "Ada") if self.owned else None

    async def name_of(self, contact_id: UUID) -> str | None:
        return {OWNER: "Ada", BEN: "Ben"}.get(contact_id)

    async def identifier(self, contact_id: UUID, channel: str) -> str | None:
        return self.known.get((contact_id, channel))

    async def is_household(self, channel: str, identity: str) -> bool:
        return identity in self.known.values()


BOOK = Book(
    {(OWNER, "telegram"): "1001", (OWNER, "email"): "ada@example.org", (BEN, "email"): "ben@example.org"}
)


def caller(subject: str = "switchboard", origin: str | None = "finance") -> Caller:
    role = Role.SWITCHBOARD if subject == "switchboard" else Role.OPERATOR
    return Caller(subject, role, None, None, origin, "jti", datetime(2100, 1, 1, tzinfo=UTC))


def wish(data, *, by: Caller | None = None, trusted=("switchboard",)):
    return authenticated_wish(read_envelope(data), by or caller(), trusted=trusted, own_name="messenger")


def parsed(**changes: Any) -> NotifyRequestV1:
    return parse(NotifyRequestV1, notify(**changes))


# -- who may ask -------------------------------------------------------------------------------------------


def test_switchboard_may_ask_in_the_name_of_the_origin_that_its_token_asserts() -> None:
    assert wish(envelope(notify())).notify.origin_butler == "finance"


def test_a_caller_that_is_not_trusted_is_refused_by_name() -> None:
    with pytest.raises(Forbidden, match="'intruder'"):
        wish(envelope(notify()), by=caller("intruder"))


def test_an_empty_list_of_trusted_callers_refuses_everyone() -> None:
    with pytest.raises(Forbidden, match="'switchboard'"):
        wish(envelope(notify()), trusted=())


def test_a_further_control_plane_can_be_trusted() -> None:
    assert wish(envelope(notify()), by=caller("other-plane"), trusted=("switchboard", "other-plane"))


def test_the_root_contexts_endpoint_identity_is_not_the_caller() -> None:
    data = envelope(notify(intent="reply", context=request_context(source_endpoint_identity="switchboard")))
    with pytest.raises(Forbidden):
        wish(data, by=caller("intruder"))


def test_a_claimed_caller_must_be_the_tokens() -> None:
    data = envelope(notify(), caller={"endpoint_identity": "somebody"})
    with pytest.raises(ValidationFailed, match="somebody"):
        wish(data)


def test_an_origin_that_the_token_does_not_assert_is_spoofed() -> None:
    with pytest.raises(ValidationFailed, match="origin_butler says 'health'"):
        wish(envelope(notify(origin="health"), origin="health"))
    with pytest.raises(ValidationFailed, match="asserts no origin"):
        wish(envelope(notify()), by=caller(origin=None))
    with pytest.raises(ValidationFailed, match="lineage"):
        wish(envelope(notify(), origin="health"))


def test_work_for_another_butler_is_refused() -> None:
    data = envelope(notify())
    data["target"]["butler"] = "finance"
    with pytest.raises(ValidationFailed, match=r"target\.butler"):
        wish(data)


def test_a_route_without_a_notify_is_refused() -> None:
    with pytest.raises(ValidationFailed, match="notify_request"):
        wish(envelope(None))


@pytest.mark.parametrize(
    "change",
    [
        {"source_sender_identity": "1002"},
        {"source_thread_identity": "1002"},
        {"reply_policy": "none"},
        {"source_message_identity": "99"},
    ],
)
def test_a_notify_cannot_change_the_context_that_switchboard_vouches_for(change) -> None:
    root = request_context()
    data = envelope(notify(intent="reply", context={**root, **change}), context=root)
    with pytest.raises(ValidationFailed, match="differs from the route's"):
        wish(data)


# -- who is answered ---------------------------------------------------------------------------------------


def answerable(notified: NotifyRequestV1) -> None:
    check_answerable(notified, own_address="home@butlers.test", own_message_ids="butlers.test")


@pytest.mark.parametrize("intent", ["reply", "react"])
@pytest.mark.parametrize(
    "changes",
    [
        {"reply_policy": "owner", "sender_class": "other"},
        {"reply_policy": "none"},
        {"reply_policy": "none", "automatic": True},
    ],
)
def test_a_stranger_and_automatic_mail_get_neither_answer_nor_reaction(intent: str, changes) -> None:
    content = {"message": None, "emoji": "👀"} if intent == "react" else {}
    with pytest.raises(ValidationFailed, match="is refused for this request"):
        answerable(parsed(intent=intent, context=request_context(**changes), **content))


def test_mail_of_our_own_that_came_back_is_never_answered() -> None:
    ours = request_context("email", source_message_identity="<butlers.0123@butlers.test>")
    with pytest.raises(ValidationFailed, match="our own"):
        answerable(parsed(intent="reply", channel="email", context=ours))
    loop = request_context("email", source_sender_identity="Home@butlers.test")
    with pytest.raises(ValidationFailed, match="our own"):
        answerable(parsed(intent="reply", channel="email", context=loop))


def test_a_household_sender_is_answered_and_the_owner_can_be_told_of_a_stranger() -> None:
    answerable(parsed(intent="reply", context=request_context()))
    stranger = request_context(reply_policy="owner", sender_class="other", source_sender_identity="666")
    answerable(parsed(intent="send", context=stranger))


def test_a_send_to_the_stranger_is_a_reply_in_disguise() -> None:
    stranger = request_context(
        "email", reply_policy="owner", sender_class="other", source_sender_identity="X@evil.test"
    )
    told = parsed(intent="send", channel="email", context=stranger)
    with pytest.raises(ValidationFailed, match="not answered"):
        check_not_disguised(told, "x@evil.test")
    check_not_disguised(told, "ada@example.org")


def test_a_send_into_the_chat_of_a_stranger_is_one_also_in_a_topic() -> None:
    stranger = request_context(
        reply_policy="owner",
        sender_class="other",
        source_sender_identity="666",
        source_thread_identity="-100200:5",
    )
    with pytest.raises(ValidationFailed, match="not answered"):
        check_not_disguised(parsed(intent="send", context=stranger), "-100200")


def test_what_came_from_outside_is_told_to_the_household_only() -> None:
    stranger = request_context(reply_policy="owner", sender_class="other", source_sender_identity="666")
    told = parsed(intent="send", context=stranger)
    with pytest.raises(ValidationFailed, match="household only"):
        check_told(told, household=False)
    check_told(told, household=True)
    check_told(parsed(intent="send", context=request_context()), household=False)


def test_the_lists_of_recipients_allow_and_deny() -> None:
    policy = RecipientPolicy(allow=("*@example.org", "telegram:1001"), deny=("mallory@example.org",))
    policy.check("email", "ada@example.org")
    policy.check("telegram", "1001")
    for channel, target in (("email", "mallory@example.org"), ("email", "a@other.org"), ("telegram", "1002")):
        with pytest.raises(ValidationFailed, match="recipients"):
            policy.check(channel, target)
    RecipientPolicy().check("email", "anyone@anywhere.org")


@pytest.mark.parametrize(
    "listed",
    ["*@M\u00fcller.example", "*@mu\u0308ller.example", "email:*@m\u00fcller.*", "*@xn--mller-kva.example"],
)
def test_the_lists_know_an_international_domain_as_people_write_it(listed: str) -> None:
    with pytest.raises(ValidationFailed, match="deny_recipients"):
        RecipientPolicy(deny=(listed,)).check("email", "joerg@xn--mller-kva.example")
    only = RecipientPolicy(allow=(listed,))
    only.check("email", "j\u00f6rg@xn--mller-kva.example")
    with pytest.raises(ValidationFailed, match="allow_recipients"):
        only.check("email", "joerg@muller.example")


# -- where it goes -----------------------------------------------------------------------------------------


async def test_a_contact_comes_before_an_explicit_recipient_and_that_before_the_owner() -> None:
    by_contact = parsed(channel="email", contact_id=str(BEN), recipient="other@example.org")
    assert await resolve(by_contact, BOOK) == Target("ben@example.org", "email:ben@example.org", None, BEN)
    by_recipient = parsed(channel="email", recipient=" Other@Example.org ")
    assert await resolve(by_recipient, BOOK) == Target("other@example.org", "email:other@example.org")
    assert await resolve(parsed(), BOOK) == Target("1001", "telegram:1001", None, OWNER)


async def test_a_contact_without_an_identifier_for_the_channel_is_missing_it() -> None:
    assert await resolve(parsed(contact_id=str(BEN)), BOOK) == MissingIdentifier(BEN, "Ben")


async def test_no_target_at_all_is_refused() -> None:
    with pytest.raises(ValidationFailed, match="no owner"):
        await resolve(parsed(), Book(owned=False))


async def test_a_reply_goes_where_its_request_came_from() -> None:
    target = await resolve(parsed(intent="reply", context=request_context()), BOOK)
    assert target == Target("1001", "telegram:1001", "7")
    mail = await resolve(parsed(intent="reply", channel="email", context=request_context("email")), BOOK)
    assert mail == Target("ada@example.org", "email:<root@example.org>", "<question@example.org>")


@pytest.mark.spec("MSG-6.2")
async def test_a_reply_in_a_group_goes_to_the_group_and_may_go_to_its_sender_alone() -> None:
    group = request_context(source_thread_identity="-100200")
    assert await resolve(parsed(intent="reply", context=group), BOOK) == Target(
        "-100200", "telegram:-100200", "7"
    )
    alone = await resolve(parsed(intent="reply", context=group, recipient="1001"), BOOK)
    assert alone == Target("1001", "telegram:1001")


async def test_a_reply_in_a_topic_of_a_forum_goes_to_its_chat_and_keeps_the_order_of_the_topic() -> None:
    topic = request_context(source_thread_identity="-100200:5")
    assert await resolve(parsed(intent="reply", context=topic), BOOK) == Target(
        "-100200", "telegram:-100200:5", "7"
    )
    alone = await resolve(parsed(intent="reply", context=topic, recipient="1001"), BOOK)
    assert alone == Target("1001", "telegram:1001")


@pytest.mark.parametrize("override", [{"recipient": "666"}, {"contact_id": str(BEN)}])
async def test_a_reply_to_somebody_else_is_refused(override) -> None:
    with pytest.raises(ValidationFailed, match="must be the sender or the thread"):
        await resolve(parsed(intent="reply", context=request_context(), **override), BOOK)


async def test_a_reaction_needs_the_message_it_is_set_on() -> None:
    context = request_context(source_message_identity=None)
    with pytest.raises(ValidationFailed, match="source_message_identity"):
        await resolve(parsed(intent="react", message=None, emoji="👀", context=context), BOOK)


@pytest.mark.parametrize(
    ("channel", "value"),
    [
        ("telegram", "not a chat"),
        ("email", "nobody"),
        ("email", "a@b.org, c@d.org"),
        ("email", "a@b.org\r\nBcc: c@d.org"),
        ("email", "a b@c.org"),
    ],
)
def test_what_a_channel_cannot_deliver_to_is_refused(channel: str, value: str) -> None:
    with pytest.raises(ValidationFailed, match="recipient"):
        deliverable_identity(channel, value)


# -- under which key ---------------------------------------------------------------------------------------


def key(subrequest_id: UUID | None = None, target: str = "1001", **changes: Any) -> str:
    return canonical_key(parsed(**changes), target_identity=target, subrequest_id=subrequest_id or uuid4())


@pytest.mark.spec("MSR-04.1", "MSG-7")
def test_the_key_holds_request_origin_intent_channel_target_and_content_and_nothing_of_the_transport() -> (
    None
):
    context = request_context()
    base: dict[str, Any] = {"intent": "reply", "context": context, "message": "12 euro"}
    first = key(**base)
    assert first == key(**base)
    assert first == key(**{**base, "message": " 12 euro "})
    assert first == key(**base, target=" 1001 ")
    assert key(**base, target="Ada@Example.org") == key(**base, target="ada@example.org")
    assert len(first) == 64
    different = [
        key(**{**base, "context": request_context()}),
        key(**{**base, "origin": "health"}),
        key(**{**base, "intent": "send"}),
        key(**{**base, "intent": "send", "channel": "email"}),
        key(**base, target="1002"),
        key(**{**base, "message": "12 EURO"}),
        key(**base, subject="Money"),
    ]
    assert len({first, *different}) == 8


def test_a_message_that_answers_nothing_needs_the_callers_key() -> None:
    with pytest.raises(ValidationFailed, match="idempotency_key"):
        key()
    assert key(idempotency_key="weekly-2026-10") == key(
        idempotency_key="weekly-2026-10", message="other text"
    )


def test_a_glyph_may_be_wanted_again_after_another_one() -> None:
    context, once, again = request_context(), uuid4(), uuid4()
    react: dict[str, Any] = {"intent": "react", "message": None, "emoji": "👀", "context": context}
    assert key(once, **react) == key(once, **react)
    assert key(once, **react) != key(again, **react)


# -- bounds ------------------------------------------------------------------------------------------------


def refused(*, intent: str = "send", **standing: Any) -> Any:
    how = Standing(**{"ahead": 0, "own": 0, "held": 0, **standing})
    return refusal(how, AdmissionLimits(), intent=intent, channel="telegram")


def test_a_full_house_and_a_pausing_provider_say_when_to_come_back() -> None:
    assert refused(ahead=99) is None
    full = refused(ahead=100)
    assert isinstance(full, OverloadRejected)
    assert full.retryable
    assert full.retry_after_s
    pausing = refused(throttled_for_s=42.0)
    assert isinstance(pausing, TargetUnavailable)
    assert pausing.retryable
    assert pausing.retry_after_s == 42.0


def test_a_mail_conversation_is_not_answered_without_end() -> None:
    check_answered(ANSWERS_AN_HOUR - 1)
    with pytest.raises(ValidationFailed, match="a machine"):
        check_answered(ANSWERS_AN_HOUR)


@pytest.mark.parametrize(("most", "share"), [(100, 80), (5, 4), (4, 4), (1, 1)])
def test_a_provider_that_is_away_leaves_a_fifth_of_the_places_to_the_others(most: int, share: int) -> None:
    assert channel_share(most) == share
    assert refused(ahead=99, held=79) is None
    away = refused(ahead=99, held=80)
    assert isinstance(away, TargetUnavailable)
    assert away.retryable
    assert away.retry_after_s


def test_the_sends_of_one_butler_leave_a_fifth_of_the_places_and_its_replies_take_all() -> None:
    assert refused(ahead=80, own=79) is None
    assert isinstance(refused(ahead=80, own=80), OverloadRejected)
    assert refused(ahead=80, own=80, intent="reply") is None


# -- budgets -----------------------------------------------------------------------------------------------


def needed(
    intent: str = "send", thread: str | None = "telegram:1001", *, urgent: bool = False, **rates: Any
) -> dict[str, Demand]:
    found = demands(
        RateLimits(**rates),
        intent=intent,
        account="telegram.bot",
        channel="telegram",
        origin_butler="finance",
        recipient="1001",
        thread=thread,
        urgent=urgent,
    )
    return {one.key: one for one in found}


def test_an_urgent_answer_waits_for_nothing_that_its_reader_was_told_before_and_a_send_does() -> None:
    urgent = needed("reply", thread="telegram:1001:7", urgent=True)
    assert set(urgent) == {"global", "channel:telegram.bot"}
    assert urgent["channel:telegram.bot"] == needed("reply")["channel:telegram.bot"]
    assert needed("send", urgent=True) == needed("send")


def test_a_send_takes_from_every_budget_and_a_reply_is_in_nobody_s_share() -> None:
    common = {"global": 60, "channel:telegram.bot": 30, "recipient:telegram.bot:1001": 10}
    assert {key: one.most for key, one in needed().items()} == {
        **common,
        "origin:finance": 48,
        "origin:finance:telegram.bot": 24,
        "tight:telegram.bot": 15,
    }
    assert {key: one.most for key, one in needed("reply").items()} == common
    assert needed("reply")["channel:telegram.bot"].sends_at_most == 24
    assert needed("react") == {}


def test_a_conversation_that_is_not_the_chat_itself_has_a_budget_of_its_own() -> None:
    assert needed("reply", thread="telegram:1001:7")["thread:telegram.bot:telegram:1001:7"].most == 10
    assert not [key for key in needed("reply", thread=None) if key.startswith("thread:")]


def test_what_a_message_costs_follows_from_its_intent() -> None:
    assert [cost_of(intent, RateLimits()) for intent in ("send", "reply")] == [1.0, 0.5]
    assert cost_of("reply", RateLimits(reply_priority=4.0)) == 0.25


@pytest.mark.parametrize(
    ("lacking", "dimension"),
    [
        (("recipient:telegram.bot:1001",), "recipient"),
        (("origin:finance", "recipient:telegram.bot:1001", "channel:telegram.bot"), "channel"),
        (("thread:email.bot:email:<x>",), "thread"),
        (("origin:finance:telegram.bot",), "origin"),
        (("tight:telegram.bot",), "tight"),
    ],
)
def test_a_used_up_budget_is_named_without_saying_whose_it_is(lacking, dimension) -> None:
    error = refused(lacking=lacking, room_in_s=17.0)
    assert isinstance(error, RateLimited)
    assert (error.dimension, error.retryable, error.retry_after_s) == (dimension, True, 17.0)
    assert "1001" not in error.message
