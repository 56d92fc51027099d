"""Tracks the mails that the server does not hand out, as opposed to an unavailable mailbox (D15). Pure.

Invariant: bounded; a mail is given up only after `TRIES` failed tries, of which the last `BLAMED` came just after the
server had handed out another mail on the same connection.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["BLAMED", "TRIES", "Withheld"]

TRIES: Final = 6
"""Failed tries before a mail may be skipped: about half a minute, with the pauses between connections."""
BLAMED: Final = 2
_KEPT_MAX: Final = 200


@dataclass
class _Failures:
    tries: int = 0
    blamed: int = 0
    words: str = ""


class Withheld:
    """Failed tries by UIDVALIDITY and UID, with the server's last words."""

    def __init__(self) -> None:
        self._failures: dict[tuple[int, int], _Failures] = {}

    def note(self, uid_validity: int, uid: int, words: str, *, others_pass: bool) -> None:
        """Record a failed try; `others_pass` if another mail was handed out just before."""
        if len(self._failures) >= _KEPT_MAX:
            self._failures.pop(next(iter(self._failures)))
        failures = self._failures.setdefault((uid_validity, uid), _Failures())
        failures.tries += 1
        failures.blamed = failures.blamed + 1 if others_pass else 0
        failures.words = words

    def needs_comparison(self, uid_validity: int, uid: int) -> bool:
        """Return whether it is time to check if the server hands out others."""
        failures = self._failures.get((uid_validity, uid))
        return failures is not None and failures.tries >= TRIES - BLAMED

    def given_up(self, uid_validity: int, uid: int) -> str | None:
        """Return the server's last words about a mail to be skipped; None for any other."""
        failures = self._failures.get((uid_validity, uid))
        if failures is None or failures.tries < TRIES or failures.blamed < BLAMED:
            return None
        return failures.words

    def known(self, uid_validity: int, uid: int) -> bool:
        """Whether a try has failed before."""
        return (uid_validity, uid) in self._failures

    def forget(self, uid_validity: int, uid: int) -> None:
        """Forget a mail that was handed out after all, or is skipped."""
        self._failures.pop((uid_validity, uid), None)
