"""Named moments at which the fault suite may kill, stall or break a process (`points`: which, where, why).

Invariant: off unless the environment names a directory in `BUTLERS_FAULTS_DIR` when the process starts; off, reaching
a point does nothing. `tests/faults` arms points; production never sets the variable.
"""

from butler_kit.faults.armed import InjectedFault
from butler_kit.faults.binding import reached, reached_async

__all__ = ["InjectedFault", "reached", "reached_async"]
