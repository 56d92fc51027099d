"""The tutorial's chat is what the household answers, and its picture is drawn from it.

`python -m tests.golden.docs.test_pictures` draws it anew.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from pathlib import Path
from xml.etree import ElementTree
from zoneinfo import ZoneInfo

from tests.support.drawn import chat
from tests.support.talks import Talks

DOCS = Path(__file__).parents[3] / "docs"
PICTURE = DOCS / "pictures" / "chat.svg"
MONDAY = datetime(2026, 11, 23, 10, tzinfo=ZoneInfo("Europe/Berlin"))
ADA = "Ada Example"
_ROW = re.compile(r"^\| (?P<write>[^|]+) \| (?P<answers>[^|]+) \|$", re.MULTILINE)


@cache
def rows() -> tuple[tuple[str, str], ...]:
    """What the tutorial says to write, and what it says is answered; `…` stands for words that are left out."""
    section = (DOCS / "tutorial.md").read_text("utf-8").partition("## 4. ")[2].partition("\n## ")[0]
    found = [(row["write"].strip(), row["answers"].strip()) for row in _ROW.finditer(section)]
    return tuple(row for row in found if row[0] not in ("write to your bot", "---"))


@cache
def said() -> tuple[tuple[str, str], ...]:
    """The same messages with the whole answers, as Telegram shows them."""
    talks = Talks(ADA, start=MONDAY)
    answers = [(text, talks.say(text, by=ADA).answers) for text, _ in rows()]
    return tuple((text, "\n".join(f"[{name}] {one}" for name, one in told.items())) for text, told in answers)


def drawn() -> str:
    return chat("A chat with the household: four messages and their answers", said())


def test_the_tutorial_promises_what_is_answered() -> None:
    assert len(rows()) >= 4
    for (text, promised), (_, answered) in zip(rows(), said(), strict=True):
        for part in promised.split("…"):
            assert part.strip() in answered, text


def test_the_picture_is_drawn_from_what_is_answered_now() -> None:
    assert PICTURE.read_text("utf-8") == drawn()
    assert "(pictures/chat.svg)" in (DOCS / "tutorial.md").read_text("utf-8")


def test_no_word_of_the_picture_lies_outside_of_it() -> None:
    picture = ElementTree.fromstring(drawn())  # noqa: S314 - drawn here
    width, height = (float(size) for size in picture.attrib["viewBox"].split()[2:])
    for one in picture.iter():
        assert 0 <= float(one.attrib.get("x", 0)) <= width
        assert 0 <= float(one.attrib.get("y", 0)) <= height
        if one.tag.endswith("rect"):
            assert float(one.attrib.get("x", 0)) + float(one.attrib["width"]) <= width


if __name__ == "__main__":
    PICTURE.write_text(drawn(), "utf-8")
