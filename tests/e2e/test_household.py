"""The demo household on a real cluster: everyone ready, every channel answered, children that come back."""

from __future__ import annotations

import pytest

from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import ADA, REPLY_S, Household

CHILDREN = (
    ("deployment", "butler-finance"),
    ("service", "butler-finance"),
    ("configmap", "butler-finance"),
    ("serviceaccount", "butler-finance"),
    ("networkpolicy", "butler-finance"),
    ("deployment", "connector-webhook"),
    ("service", "connector-webhook"),
)


def test_every_butler_and_connector_of_the_demo_is_ready(cluster: Cluster) -> None:
    cluster.ready("butler,connector", timeout_s=300)
    butlers = {one["metadata"]["name"]: one for one in cluster.list("butler")}
    assert set(butlers) == {
        "switchboard",
        "messenger",
        "general",
        "relationship",
        "health",
        "finance",
        "travel",
    }
    for name, butler in butlers.items():
        assert butler["status"]["observedGeneration"] == butler["metadata"]["generation"], name


def test_a_telegram_message_is_answered_in_its_chat(household: Household) -> None:
    before = len(household.told_by_telegram())
    household.send_telegram(household.example("telegram-groceries"))

    def answered() -> bool:
        said = household.told_by_telegram()[before:]
        return any(one["chat_id"] == ADA and "42.50" in one["text"] for one in said)

    eventually(answered, timeout_s=REPLY_S, what="an answer that names the sum")


def test_a_mail_is_answered_to_its_sender(household: Household) -> None:
    before = len(household.told_by_mail())
    household.send_mail(household.example("mail-school-books"))

    def answered() -> bool:
        mails = household.told_by_mail(since=before)
        return any("63.20" in mail["text"] and "ada@example.org" in mail["rcpt_to"] for mail in mails)

    eventually(answered, timeout_s=REPLY_S, what="a mail to the sender that names the sum")


def test_a_post_is_answered_at_the_webhook(household: Household) -> None:
    request_id = household.post(household.example("api-shopping-list"))
    view = household.answer_to(request_id)
    assert view["request_id"] == request_id
    assert view["reply"]


@pytest.mark.parametrize(("kind", "name"), CHILDREN)
def test_a_child_that_somebody_deletes_comes_back(cluster: Cluster, kind: str, name: str) -> None:
    first = cluster.get(kind, name)
    assert first is not None
    cluster.kubectl("delete", kind, name, "--namespace", cluster.namespace)

    def again() -> bool:
        found = cluster.get(kind, name)
        return found is not None and found["metadata"]["uid"] != first["metadata"]["uid"]

    eventually(again, timeout_s=30, what=f"{kind}/{name} is back")
    cluster.ready("butler,connector")
