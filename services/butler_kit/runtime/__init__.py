"""Runtime sessions: what to run (families), what it may call (tool belt), and who runs it (spawner).

`butler_kit.runtime.sessions` holds the PostgreSQL session store; it is not imported here, so that pure
code can use the rest.
"""

from butler_kit.runtime.family import (
    InProcess,
    Program,
    Ran,
    RulesFamily,
    RuntimeFamily,
    RuntimeUnavailable,
    SessionJob,
)
from butler_kit.runtime.spawner import SelfTriggerRejected, SessionResult, Spawner, SpawnerMetrics
from butler_kit.runtime.store import SessionRow, SessionStore
from butler_kit.runtime.toolbelt import SessionTool, ToolBelt, ToolCall

__all__ = [
    "InProcess",
    "Program",
    "Ran",
    "RulesFamily",
    "RuntimeFamily",
    "RuntimeUnavailable",
    "SelfTriggerRejected",
    "SessionJob",
    "SessionResult",
    "SessionRow",
    "SessionStore",
    "SessionTool",
    "Spawner",
    "SpawnerMetrics",
    "ToolBelt",
    "ToolCall",
]
