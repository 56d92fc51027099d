"""One short connection to the mailbox a call: read-only, bounded in time, cut when the call ends (RFC 9051).

Invariants: whatever a server does, a call ends within its deadline; at most `AT_ONCE` calls look at the same time; a
failure is an error of ours that says whether coming again may help.
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
    """The mailbox while a call looks into it."""

    session: ImapSession
    uid_validity: int
    threads: Executor

    async def run(self, work: Callable[[ImapSession], T]) -> T:
        """What `work` finds, in a thread; one after another."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, work, self.session)

    def place(self, reference: str) -> Place:
        """Where a mail is that was named earlier. Raises `Conflict` when the mailbox was made anew since."""
        validity, uid = place_of(reference)
        if validity != self.uid_validity:
            raise Conflict("the mailbox was made anew since that search; search again")
        return validity, uid


class Mailbox:
    """Opens the mailbox for one call after the other."""

    def __init__(self, account: MailAccount, *, deadline_s: float = DEADLINE_S) -> None:
        self._account = account
        self._deadline_s = deadline_s
        self._turns = asyncio.Semaphore(AT_ONCE)
        # Threads of its own: one that hangs in a name lookup, which no cut ends, is in nobody else's way.
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="inbox")

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[OpenMailbox]:
        """Raises `TargetUnavailable`, `TimedOut`, `OverloadRejected`, from inside as well."""
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
                # The thread may still be in the middle of something: the cut ends it.
                session.abort()
                session.close()


def _refusal(fault: MailFault) -> ButlerError:
    if fault.kind == "timeout":
        return TimedOut(str(fault))
    return TargetUnavailable(str(fault), retryable=not fault.blocked)


def _uncounted(_: str) -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext()
