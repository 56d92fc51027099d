"""One short connection to the mailbox per call: read-only, bounded in time, cut when the call ends (RFC 9051).

Invariants: whatever a server does, a call ends within its deadline; at most `AT_ONCE` calls run at the same time; a
failure is an error of ours that says whether a retry may help.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, TypeVar

from butler_contracts.errors import ButlerError, Conflict, OverloadRejected, TargetUnavailable, TimedOut
from butler_kit.mail.account import MailAccount
from butler_kit.mail.session import ImapSession, MailFault, Selected
from butler_messenger.inbox.questions import Place, place_of

__all__ = ["DEADLINE_S", "Mailbox", "OpenMailbox"]

T = TypeVar("T")
DEADLINE_S: Final = 25.0
AT_ONCE: Final = 2
_RETRY_AFTER_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class OpenMailbox:
    """The open mailbox of one call."""

    session: ImapSession
    uid_validity: int
    threads: Executor

    async def run(self, work: Callable[[ImapSession], T]) -> T:
        """Run `work` in a thread, one after another, and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, work, self.session)

    def place(self, reference: str) -> Place:
        """Return the place of a mail named earlier. Raises `Conflict` if the mailbox was recreated since."""
        validity, uid = place_of(reference)
        if validity != self.uid_validity:
            raise Conflict("the mailbox was made anew since that search; search again")
        return validity, uid


class Mailbox:
    """Opens the mailbox for each call."""

    def __init__(self, account: MailAccount, *, deadline_s: float = DEADLINE_S) -> None:
        self._account = account
        self._deadline_s = deadline_s
        self._turns = asyncio.Semaphore(AT_ONCE)
        # Its own threads: one that hangs in a name lookup, which an abort does not end, takes none from other work.
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="inbox")

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[OpenMailbox]:
        """Open the mailbox. Raises `TargetUnavailable`, `TimedOut`, `OverloadRejected`, also from inside."""
        if self._turns.locked():
            text = f"{AT_ONCE} calls look into the mailbox already; come again in a moment"
            raise OverloadRejected(text, retry_after_s=_RETRY_AFTER_S)
        async with self._turns:
            session = ImapSession(self._account, _uncounted)
            try:
                async with asyncio.timeout(self._deadline_s):
                    opening = asyncio.get_running_loop().run_in_executor(self._threads, session.open)
                    selected: Selected = await opening
                    yield OpenMailbox(session, selected.uid_validity, self._threads)
            except MailFault as fault:
                raise _refusal(fault) from None
            except TimeoutError:
                where = f"{self._account.host}:{self._account.port}"
                text = (
                    f"the call did not end within {self._deadline_s:g} s, most of them at {where}; come again"
                )
                raise TimedOut(text) from None
            finally:
                # The thread may still be in the middle of something: the abort ends it.
                session.abort()
                session.close()


def _refusal(fault: MailFault) -> ButlerError:
    if fault.kind == "timeout":
        return TimedOut(str(fault))
    return TargetUnavailable(str(fault), retryable=not fault.blocked)


def _uncounted(_: str) -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext()
