"""Follow the household's contacts while it is up: a change is checked, then handed to Messenger (D49).

Invariant: Messenger's file holds only usable contacts, so a restarted Messenger finds good ones.
"""

from __future__ import annotations

from butler_cli.errors import UserError
from butler_cli.local.prepare import Household, contacts_of
from butler_cli.local.state import StateDir, write_private

__all__ = ["ContactsFollower"]


class ContactsFollower:
    """`problem` says why the contacts as now written are not in use; None if they are."""

    def __init__(self, household: Household, state: StateDir) -> None:
        self._household = household
        self._state = state
        self._seen = household.contacts
        self.problem: str | None = None

    def look(self) -> str | None:
        """Hand over what changed since the last look; return a line about it, None if nothing changed."""
        before, household = self.problem, self._household
        try:
            text, problems = contacts_of(household.declared, household.manifests, household.secrets)
        except (UserError, UnicodeDecodeError) as error:
            return self._refuse(before, str(error))
        if problems or not text:
            words = "; ".join(str(problem) for problem in problems) or "the contacts are gone"
            return self._refuse(before, words)
        self.problem = None
        if text == self._seen:
            return None if before is None else "the contacts are as they were"
        write_private(self._state.contacts_file, text + "\n")
        self._seen = text
        return "contacts changed; they are in use within ten seconds"

    def _refuse(self, before: str | None, words: str) -> str | None:
        self.problem = f"the contacts cannot be used, the former ones stay: {words}"
        return None if self.problem == before else self.problem
