"""Every message of `examples/messages`, as its connector hands it over, reaches whom a person would choose (SWB-03)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.routing.rules.router import DEFAULT_THRESHOLD, RulesRouter
from butler_switchboard.routing.verdict import verdict
from tests.support.messages import ExampleMessage, load_examples

ENVELOPES = Path(__file__).parents[1] / "connectors" / "envelopes"
REGISTRY = RegistryView.of(
    ButlerProfile(n) for n in ("finance", "general", "health", "relationship", "travel")
)
ROUTED = [message for message in load_examples() if message.butlers and message.duplicate_of is None]


def routing_message(example: ExampleMessage) -> RoutingMessage:
    payload = json.loads((ENVELOPES / f"{example.id}.json").read_text(encoding="utf-8"))["payload"]
    return RoutingMessage(
        payload["normalized_text"],
        example.channel,
        payload["raw"].get("subject"),
        "household" if example.reply == "yes" else "other",
        automatic=example.reply == "none",
    )


@pytest.mark.parametrize("example", ROUTED, ids=lambda example: example.id)
def test_an_example_message_reaches_whom_a_person_would_choose(example: ExampleMessage) -> None:
    message = routing_message(example)
    made = RulesRouter().decide(message, REGISTRY)
    judged = verdict(made.calls, REGISTRY, message, DEFAULT_THRESHOLD)
    got = [target.butler for target in judged.targets]
    assert example.accepts(got), (got, made.explanation.scores)
