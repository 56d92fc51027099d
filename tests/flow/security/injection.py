"""The hostile texts of `tests/golden/injection`, and each as the update, the mail or the post that carries it.

A line of the data is one case: `text` (`times` repeats it, `end` follows), `plants` (butlers that it asks for in
vain), and for mails `headers` in place of the usual ones, `mail: html` with what a reader must not and must see.
Invariant: nothing here cleans a text; what a provider could hand out is handed out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from butler_kit.sources.bounds import clip

__all__ = ["FOLDER", "HostileCase", "cases", "mail_bytes", "post_body", "update_of"]

FOLDER = Path(__file__).parents[2] / "golden" / "injection"
_AUTHENTIC = "mx.example.org; dmarc=pass header.from=example.org"
_NAME_CHARS = 64


@dataclass(frozen=True)
class HostileCase:
    """One hostile text; `headers` replace those of an ordinary mail, `html` makes its text the HTML body."""

    id: str
    text: str
    plants: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    html: bool = False
    hidden: tuple[str, ...] = ()
    visible: tuple[str, ...] = ()


@cache
def cases() -> tuple[HostileCase, ...]:
    """Every case of every family, in the order of the files; ValueError for a line that is none."""
    found = [
        _case(json.loads(line), f"{file.name}:{number}")
        for file in sorted(FOLDER.glob("*.jsonl"))
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
    ]
    if len({case.id for case in found}) < len(found):
        raise ValueError("tests/golden/injection: an id is used twice")
    return tuple(found)


def _case(data: dict[str, Any], where: str) -> HostileCase:
    known = {"id", "text", "times", "end", "plants", "headers", "mail", "hidden", "visible"}
    if not {"id", "text"} <= data.keys() <= known:
        raise ValueError(f"{where}: expected id and text, and of {sorted(known)} what applies")
    return HostileCase(
        id=data["id"],
        text=data["text"] * data.get("times", 1) + data.get("end", ""),
        plants=tuple(data.get("plants", ())),
        headers=tuple((name, value) for name, value in data.get("headers", ())),
        html=data.get("mail") == "html",
        hidden=tuple(data.get("hidden", ())),
        visible=tuple(data.get("visible", ())),
    )


def update_of(case: HostileCase, *, chat: int, sender: int = 1001) -> dict[str, Any]:
    """A Telegram update whose text, and whose sender's name, are hostile; every case in a group of its own."""
    name = case.text[:_NAME_CHARS]
    return {
        "message": {
            "chat": {"id": chat, "type": "group", "title": name},
            "from": {"id": sender, "is_bot": False, "first_name": name},
            "text": case.text,
        }
    }


def mail_bytes(case: HostileCase, *, message_id: str) -> bytes:
    """The mail as its bytes on the wire: no library that would refuse or repair what a hostile sender writes."""
    given = {name.lower() for name, _ in case.headers}
    kind = "text/html" if case.html else "text/plain"
    usual = (
        ("Authentication-Results", _AUTHENTIC),
        ("From", "Ada <ada@example.org>"),
        ("To", "household@example.org"),
        ("Subject", "" if case.html else clip(" ".join(case.text.split())[:200], 200, mark="")),
        ("Date", "Sat, 21 Nov 2026 12:00:00 +0000"),
        ("MIME-Version", "1.0"),
        ("Content-Type", f"{kind}; charset=utf-8"),
        ("Content-Transfer-Encoding", "8bit"),
    )
    kept = [pair for pair in usual if pair[0].lower() not in given]
    head = [("Message-ID", message_id), *case.headers, *kept]
    lines = "\r\n".join(f"{name}: {value}" for name, value in head)
    body = case.text.replace("\r\n", "\n").replace("\n", "\r\n")
    return f"{lines}\r\n\r\n{body}\r\n".encode("utf-8", "surrogatepass")


def post_body(case: HostileCase) -> bytes:
    """The body of a post; JSON with escapes, so that half of a surrogate pair travels too."""
    return json.dumps({"text": case.text, "sender": "ada", "thread": f"hostile {case.id}"}).encode("ascii")
