"""Which tools deliver to a person."""

from __future__ import annotations

import pytest

from butler_switchboard.registry.ownership import channel_tools


@pytest.mark.parametrize(
    "name",
    [
        "telegram_send_message",
        "telegram_reply_to_message",
        "email_send_message",
        "email_reply_to_thread",
        "bot_email_send",
        "sendTelegramMessage",
        "email.reply-to-thread",
        "SLACK_POST",
    ],
)
def test_a_channel_with_a_delivering_verb_is_messengers(name: str):
    assert channel_tools([name]) == (name,)


@pytest.mark.parametrize(
    "name",
    [
        "route.execute",
        "email_search_inbox",
        "telegram_read",
        "notify",
        "send_invoice_to_ledger",
        "mailing_list",
    ],
)
def test_reading_a_channel_or_sending_elsewhere_is_not(name: str):
    assert channel_tools([name]) == ()
