"""A butler described only by its manifest: its instructions are for a model, its records are dated notes (D58).

What rules always do (danger, reminders, undoing) they do here too; if they stand in for the model, they note what
is said, as the catch-all does.
"""

from __future__ import annotations

import hashlib

from butler_specialist.profiles.general.profile import GeneralProfile

__all__ = ["OwnProfile"]


class OwnProfile(GeneralProfile):
    """A profile without a subject; see the module."""

    triggers: tuple[str, ...] = ()
    remembers_in_passing = False

    def __init__(self, instructions: str) -> None:
        super().__init__()
        self.name = "own"
        self.prompt = instructions
        self.prompt_version = "-".join((self.name, hashlib.sha256(instructions.encode()).hexdigest()[:12]))
