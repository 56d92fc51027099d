"""The runtime families that are command lines: `codex`, `claude-code`, `opencode` (SWB-03.7)."""

from collections.abc import Mapping
from typing import Final

from butler_kit.runtime.commandline.claude_code import ClaudeCode
from butler_kit.runtime.commandline.codex import Codex
from butler_kit.runtime.commandline.door import Doors
from butler_kit.runtime.commandline.family import CommandLineFamily
from butler_kit.runtime.commandline.look import ProgramLook
from butler_kit.runtime.commandline.opencode import OpenCode
from butler_kit.runtime.commandline.told import CommandLine

__all__ = ["COMMAND_LINES", "CommandLine", "CommandLineFamily", "Doors", "ProgramLook"]

COMMAND_LINES: Final[Mapping[str, CommandLine]] = {
    line.name: line for line in (Codex(), ClaudeCode(), OpenCode())
}
"""Keyed by the family's name."""
