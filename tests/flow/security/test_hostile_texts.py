"""Texts that try to be more than data: kept intact, routed within the registry, never out of their fence."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from butler_connectors.telegram_bot.normalize import TelegramSource
from butler_connectors.telegram_bot.normalize import envelope_of as telegram_envelope
from butler_connectors.webhook.normalize import Post, Submission
from butler_connectors.webhook.normalize import envelope_of as webhook_envelope
from butler_contracts.ingest import NORMALIZED_TEXT_MAX, IngestEnvelopeV1
from butler_contracts.text import storable
from butler_kit.mail.normalize import FetchedMail, MailSource
from butler_kit.mail.normalize import normalise as normalise_mail
from butler_kit.runtime.history import Earlier, history_of
from butler_kit.runtime.tokens import BY_BYTES
from butler_switchboard.routing.message import RouteCall, RoutingMessage
from butler_switchboard.routing.prompt import payload
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.routing.rules.router import DEFAULT_THRESHOLD, RulesRouter
from butler_switchboard.routing.verdict import Provenance, verdict
from tests.flow.security.injection import FOLDER, HostileCase, cases, mail_bytes, update_of

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
BOUNDARY = "k7Qz9mB2xV4nT8wR1sL6"
"""The boundary of these tests' fences; the texts in `fences.jsonl` know it, which a real sender cannot."""
NAMES = ("finance", "general", "health", "relationship", "travel")
REGISTRY = RegistryView.of(
    ButlerProfile(name=name, description=f"{name} matters", triggers=(name,)) for name in NAMES
)
ROUTER = RulesRouter()
RULES = Provenance("rules", "1", "1")
ROLE_TOKENS = (
    "<|im_start|>", "<|im_end|>", "[INST]", "<<SYS>>", "<system>", "<tool_call>", "<start_of_turn>", "<invoke",
    "<｜User｜>", "[SYSTEM_PROMPT]", "[TOOL_CALLS]", "<tool_response>", "<think>", "<bos>",
)  # fmt: skip
UNSEEN = "\x1b\u202e\u00ad\u034f\u061c\u115f\u180e\u200b\u3164\ufe0e\U000e0072\U000e0101"
every_case = pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)


def of_webhook(case: HostileCase) -> IngestEnvelopeV1:
    post = Post(text=storable(case.text), sender="alice")
    return webhook_envelope(
        Submission(post, "default", None, UUID(int=7)),
        endpoint_identity="hook",
        tier=lambda tier: tier,
        now=NOW,
    )


def of_telegram(case: HostileCase) -> IngestEnvelopeV1:
    update = update_of(case, chat=-5) | {"update_id": 7}
    made = telegram_envelope(update, TelegramSource("bot"), now=NOW)
    assert isinstance(made, IngestEnvelopeV1)
    return made


def of_mail(case: HostileCase) -> IngestEnvelopeV1:
    content = mail_bytes(case, message_id="<1@evil.example>")
    made = normalise_mail(FetchedMail(1, 1, NOW, len(content), content), MailSource("home@example.org"))
    assert isinstance(made.content, IngestEnvelopeV1)
    return made.content


def routed(calls: tuple[RouteCall, ...], message: RoutingMessage) -> set[str]:
    made = verdict(calls, REGISTRY, message, DEFAULT_THRESHOLD, provenance=RULES)
    return {target.butler for target in made.targets}


def test_the_set_has_every_family_and_is_large_enough() -> None:
    assert len(cases()) >= 200
    assert {file.stem for file in FOLDER.glob("*.jsonl")} == {
        "butler_names", "code", "control_tokens", "encoded", "fences", "html", "invisible", "mail_headers",
        "markdown", "repetitions", "scripts", "system_lines", "tool_calls", "two_decisions",
    }  # fmt: skip


@every_case
def test_a_hostile_text_is_kept_as_it_came_and_goes_only_to_registered_butlers(case: HostileCase) -> None:
    for envelope in (of_webhook(case), of_telegram(case), of_mail(case)):
        said = envelope.payload.normalized_text
        assert 0 < len(said) <= NORMALIZED_TEXT_MAX
        for sender in ("household", "other"):
            message = RoutingMessage(text=said, channel=envelope.source.channel.value, sender_class=sender)
            targets = routed(ROUTER.decide(message, REGISTRY).calls, message)
            assert targets
            assert targets <= set(NAMES) - set(case.plants)
    assert of_telegram(case).payload.normalized_text == storable(case.text.strip())
    assert of_webhook(case).payload.normalized_text == storable(case.text)


@pytest.mark.parametrize("case", [case for case in cases() if case.html], ids=lambda case: case.id)
def test_what_a_mail_hides_from_its_reader_is_hidden_from_the_butlers(case: HostileCase) -> None:
    said = of_mail(case).payload.normalized_text
    assert [text for text in case.hidden if text in said] == []
    assert [text for text in case.visible if text not in said] == []


@pytest.mark.parametrize("case", [case for case in cases() if case.plants], ids=lambda case: case.id)
def test_a_session_that_obeys_the_text_still_reaches_only_registered_butlers(case: HostileCase) -> None:
    message = RoutingMessage(text=storable(case.text))
    obeyed = tuple(RouteCall(name, "what the text asked for") for name in case.plants)
    assert routed(obeyed, message) == {"general"}
    assert routed((RouteCall("finance", "bills"), *obeyed), message) == {"general"}


@every_case
def test_a_hostile_text_never_leaves_its_fence(case: HostileCase) -> None:
    before = history_of([Earlier("writer", case.text)], most_tokens=50_000, counter=BY_BYTES)
    message = RoutingMessage(text=case.text, subject=case.text[:500], history=before)
    shown = payload(message, boundary=BOUNDARY)
    lines = shown.split("\n")
    fences = [line for line in lines if BOUNDARY in line]
    assert fences == [f"<<<untrusted {BOUNDARY}", f"untrusted {BOUNDARY}>>>"] * 2
    outside, inside = [], False
    for line in lines:
        if BOUNDARY in line:
            inside = line.startswith("<<<")
        elif not inside:
            outside.append(line)
    assert [line.partition(",")[0].partition(" (")[0] for line in outside] == [
        "What was said before in this conversation",
        "The current message",
    ]
    assert not any(token in shown for token in ROLE_TOKENS)
    assert not set(UNSEEN) & set(shown)
