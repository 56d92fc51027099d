"""Messages that keep coming while something falls, and what became of each of them in the end.

Every message is handed over for certain: a post is repeated under its key until it is taken, an update waits at the
provider. Invariant of `check`: each request has ended well, each message was answered exactly once; a delivery of
which nobody can know (D41) at most once. Where the scenario keeps a butler away longer than a chat waits (`away`), a
chat's message for it ends as `target_unavailable` and is answered so (D77); a post waits for it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import httpx

from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import ADA, Household, bearer
from tests.e2e.scenarios.records import rows
from tests.support.absences import Absence, Failure, losses_of

__all__ = ["TOLD_AWAY", "Traffic"]

TOLD_AWAY: dict[str, str] = {}
"""By test: how many of its messages were told that their butler is away."""

HAND_OVER_S = 150.0
SETTLED_S = 240.0
UPDATE_KEY = "event:telegram:telegram:telegram:bot:household"
OPEN = ("pending", "in_progress")


@dataclass(frozen=True)
class Told:
    """A message in a chat: its dedupe key, and what its answer is an answer to."""

    chat: int
    message_id: int
    dedupe_key: str


@dataclass
class Traffic:
    """`with Traffic(…)`: messages flow in the background; `check` afterwards."""

    cluster: Cluster
    household: Household
    pause_s: float = 0.7
    chat: int = field(default_factory=lambda: -(10**9 + secrets.randbelow(10**9)))
    run: str = field(default_factory=lambda: secrets.token_hex(4))
    told: list[Told] = field(default_factory=list)
    posted: list[str] = field(default_factory=list)
    absences: list[Absence] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)
    _problems: list[str] = field(default_factory=list)
    _threads: list[threading.Thread] = field(default_factory=list)

    def __enter__(self) -> Traffic:
        self._threads = [threading.Thread(target=self._flow, args=(one,)) for one in (self._tell, self._post)]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(HAND_OVER_S)

    def more(self, count: int) -> None:
        """Wait until so many messages more have been handed over."""
        wanted = len(self.told) + len(self.posted) + count
        eventually(
            lambda: len(self.told) + len(self.posted) >= wanted or self._problems,
            timeout_s=HAND_OVER_S,
            what=f"{count} more messages handed over",
        )

    @contextlib.contextmanager
    def away(self, butler: str, *, at_most: int) -> Iterator[None]:
        """The butler is away within the block; so many chat messages may be told that."""
        since = datetime.now(UTC)
        yield
        self.absences.append(Absence(butler, since, datetime.now(UTC), at_most))

    def check(self) -> int:
        """Every message has ended well, or as its butler's absence explains, and was answered exactly once.

        Returns how many were told of an absence. Call it after the block.
        """
        assert not self._problems, self._problems
        assert not any(thread.is_alive() for thread in self._threads)
        requests = self._ended()
        assert len(requests) == len(self.told) + len(self.posted)
        failures = [self._failure(row) for row in requests if row["lifecycle_state"] != "parsed"]
        test = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0]
        TOLD_AWAY[test] = f"{len(failures)} of {len(requests)}"
        assert losses_of(failures, self.absences) == []
        uncertain = {row["dedupe_key"] for row in requests if "uncertain" in (row["deliveries"] or [])}
        said = self.household.told_by_telegram()
        answers = Counter(one["reply_to_message_id"] for one in said if one["chat_id"] == self.chat)
        for message in self.told:
            count = answers[message.message_id]
            assert count == 1 or (count == 0 and message.dedupe_key in uncertain), (message, count)
        assert all(row["reply"] for row in requests if row["request_id"] in set(self.posted))
        return len(failures)

    def _failure(self, row: dict[str, Any]) -> Failure:
        in_chat = row["dedupe_key"] in {one.dedupe_key for one in self.told}
        ended_at = datetime.fromisoformat(row["final_state_at"])
        return Failure(row["request_id"], in_chat, row["error_class"], tuple(row["failed"] or ()), ended_at)

    def _ended(self) -> list[dict[str, Any]]:
        keys = ",".join(f"'{one.dedupe_key}'" for one in self.told)
        ids = ",".join(f"'{one}'" for one in self.posted)
        query = f"""
            SELECT request_id, dedupe_key, lifecycle_state, error_class, final_state_at,
                aggregated_reply->>'text' AS reply,
                (SELECT json_agg(DISTINCT target) FROM switchboard.subroute branch
                 WHERE branch.request_id = inbox.request_id AND branch.state = 'error') AS failed,
                (SELECT json_agg(status) FROM messenger.delivery_requests delivery
                 WHERE delivery.request_id = inbox.request_id) AS deliveries
            FROM switchboard.message_inbox inbox WHERE dedupe_key IN ({keys}) OR request_id IN ({ids})
        """
        wanted = len(self.told) + len(self.posted)
        seen: list[dict[str, Any]] = []

        def settled() -> bool:
            seen[:] = rows(self.cluster, query)
            still = [
                row for row in seen if not row["final_state_at"] or set(OPEN) & set(row["deliveries"] or ())
            ]
            return len(seen) >= wanted and not still

        eventually(settled, timeout_s=SETTLED_S, pause_s=3, what="every request and every delivery ended")
        return seen

    def _flow(self, one: Any) -> None:
        number = 0
        while not self._stop.is_set() and not self._problems:
            number += 1
            try:
                one(number)
            except Exception as error:  # the test's own thread tells it
                self._problems.append(f"{one.__name__}: {error!r}")
            self._stop.wait(self.pause_s)

    def _tell(self, number: int) -> None:
        chat = {"id": self.chat, "type": "group", "title": "Household"}
        user = {"id": ADA, "is_bot": False, "first_name": "Ada"}
        message = {"chat": chat, "from": user, "text": f"Paid {number}.50 EUR for groceries number {number}"}
        answer = _handed(f"{self.household.telegram}/control/updates", {"message": message}, {})
        update = answer["update"]
        told = Told(self.chat, update["message"]["message_id"], f"{UPDATE_KEY}:{update['update_id']}")
        self.told.append(told)

    def _post(self, number: int) -> None:
        body = {"text": f"Paid {number}.50 EUR for rent number {number}", "sender": "ada", "thread": self.run}
        headers = bearer() | {"Idempotency-Key": f"{self.run}-{number}"}
        answer = _handed(f"{self.household.webhook}/v1/messages", body, headers)
        self.posted.append(str(answer["request_id"]))


def _handed(url: str, body: dict[str, Any], headers: dict[str, str]) -> dict[str, Any]:
    """The answer to a post, repeated while nobody is there or what is there asks for later."""

    def attempt() -> dict[str, Any] | None:
        try:
            answer = httpx.post(url, json=body, headers=headers, timeout=20, trust_env=False)
        except httpx.TransportError:
            return None
        taken: dict[str, Any] | None = None if answer.status_code == 503 else answer.raise_for_status().json()
        return taken

    taken = eventually(attempt, timeout_s=HAND_OVER_S, pause_s=1, what=f"a post to {url} is taken")
    return taken or {}
