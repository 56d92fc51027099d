"""`butlers inbox`: the household's mailbox searched, read and routed by its operator (MSG-5, D47)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.household import place, until

PROVEN = "Authentication-Results: mx.example.org; dmarc=pass header.from=example.org"


def mail(number: int, *, subject: str, text: str) -> bytes:
    head = f"{PROVEN}\r\nFrom: Ada Example <ada@example.org>\r\nMessage-ID: <m-{number}@example.org>\r\n"
    return f"{head}Subject: {subject}\r\n\r\n{text}\r\n".encode()


@pytest.mark.spec("MSG-5")
async def test_the_mailbox_is_searched_read_and_routed_at_the_command_line(tmp_path: Path) -> None:
    async with place(tmp_path) as made, made.up() as up:
        imap = up.providers.imap
        uid = await imap.deliver(mail(1, subject="Plumber", text="130 euro for the plumber\x1b[31m, paid"))
        await imap.deliver(mail(2, subject="Garden", text="The roses need water"))

        found = await made.verb("inbox", "search", "plumber")
        assert found.code == 0, found.stderr
        heading, row = found.stdout.splitlines()
        assert heading.split() == ["MAIL", "AGE", "FROM", "SUBJECT", "SIZE"]
        assert "Ada Example <ada@example.org>" in row
        assert "Plumber" in row
        name = row.split()[0]
        assert name == f"{imap.uid_validity}/{uid}"

        shown = await made.verb("inbox", "read", name)
        assert "130 euro for the plumber" in shown.stdout
        assert "\x1b" not in shown.stdout, "what a mail says acts on no terminal"
        assert "untrusted" not in shown.stdout, "the fence is for models"

        nothing = await made.verb("inbox", "search", "--subject", "never written")
        assert (nothing.code, nothing.stdout) == (0, "no such mail\n")
        page = await made.verb("inbox", "search", "--limit", "1", "--json")
        assert len(json.loads(page.stdout)["messages"]) == 1
        first = await made.verb("inbox", "search", "--limit", "1")
        assert "there are more: --before " in first.stderr

        async def both_are_requests() -> bool:
            rows = await up.rows("SELECT source_channel FROM switchboard.message_inbox")
            return [row["source_channel"] for row in rows] == ["email"] * 2

        routed = await made.verb("inbox", "route")
        assert routed.code == 0, routed.stderr
        assert [line.split()[1] for line in routed.stdout.splitlines()[1:]].count("refused") == 0
        await until(both_are_requests, what="both mails, once each")
        again = await made.verb("inbox", "route")
        assert [line.split()[1] for line in again.stdout.splitlines()[1:]] == ["duplicate"] * 2
        assert await both_are_requests()


async def test_a_mail_that_is_not_there_and_a_misspelt_name_are_told_in_a_line(tmp_path: Path) -> None:
    async with place(tmp_path) as made, made.up() as up:
        gone = await made.verb("inbox", "read", f"{up.providers.imap.uid_validity}/999")
        assert gone.code == 1
        assert gone.stderr.count("\n") == 1
        assert "the mailbox was not asked" in gone.stderr
        wrong = await made.verb("inbox", "read", "the one of Ada")
        assert wrong.code == 1
        assert "message" in wrong.stderr
        assert (await made.verb("inbox", "search", "--days", "900")).code == 2
