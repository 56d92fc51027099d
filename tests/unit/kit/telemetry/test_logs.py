from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import structlog

from butler_kit.telemetry import bind_request, configure_logging, get_logger

Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def lines() -> Iterator[Lines]:
    root = logging.getLogger()
    before = (root.handlers[:], root.level)
    stream = io.StringIO()
    configure_logging("finance", "info", "json", stream)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.handlers[:], root.level = before
    structlog.reset_defaults()


def test_every_line_of_a_request_carries_its_id(lines: Lines) -> None:
    log = get_logger("butler_specialist.sessions")
    with bind_request("0190-abc", subrequest_id="s1"):
        log.info("started", attempt=1)
        logging.getLogger("asyncpg").warning("slow %s", "query")
    log.info("idle")
    started, slow, idle = lines()
    assert started["request_id"] == slow["request_id"] == "0190-abc"
    assert (started["event"], started["attempt"], started["service"]) == ("started", 1, "finance")
    assert (started["level"], started["logger"]) == ("info", "butler_specialist.sessions")
    assert started["timestamp"].endswith("Z")
    assert slow["event"] == "slow query"
    assert "request_id" not in idle


def test_a_traceback_is_one_redacted_line(lines: Lines) -> None:
    try:
        raise ValueError("cannot reach postgres://butlers:hunter2@db/butlers")
    except ValueError:
        get_logger("x").exception("failed")
        logging.getLogger("library").exception("failed too, Bearer abcdefghijklmnop")
    text = json.dumps(lines())
    assert len(lines()) == 2
    assert "ValueError" in text
    assert "hunter2" not in text
    assert "abcdefghijklmnop" not in text


def test_a_library_cannot_smuggle_a_secret_through_its_arguments(lines: Lines) -> None:
    logging.getLogger("library").warning("header %r", {"Authorization": "Bearer abcdefghijklmnop"})
    logging.getLogger("library").warning("extra", extra={"password": "hunter2"})
    assert "abcdefghijklmnop" not in json.dumps(lines())
    assert "hunter2" not in json.dumps(lines())


def test_lines_below_the_level_and_chatter_of_libraries_are_left_out(lines: Lines) -> None:
    get_logger("x").debug("detail")
    logging.getLogger("httpx").info("HTTP Request: POST https://api.telegram.org/bot1:secret/sendMessage")
    assert lines() == []


def test_the_console_form_is_a_line_for_people() -> None:
    root = logging.getLogger()
    before = (root.handlers[:], root.level)
    stream = io.StringIO()
    configure_logging("finance", "warning", "console", stream)
    get_logger("x").warning("disk is full", token="abc")
    root.handlers[:], root.level = before
    structlog.reset_defaults()
    assert "disk is full" in stream.getvalue()
    assert "abc" not in stream.getvalue()


class _FullDisk(io.StringIO):
    tried = 0

    def write(self, text: str) -> int:
        self.tried += 1
        raise OSError(28, "No space left on device")


def test_a_log_that_cannot_be_written_stops_nobody() -> None:
    root = logging.getLogger()
    before = (root.handlers[:], root.level)
    disk = _FullDisk()
    configure_logging("finance", "info", "json", disk)
    get_logger("x").info("accepted")
    root.handlers[:], root.level = before
    structlog.reset_defaults()
    assert disk.tried == 1
