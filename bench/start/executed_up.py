"""`butlers` on a system that cannot fork."""

from __future__ import annotations

from butler_cli.local import launch
from butler_cli.main import main


def cannot_fork() -> bool:
    """Answer as a system that is not Linux."""
    return False


if __name__ == "__main__":
    launch.can_fork = cannot_fork  # type: ignore[attr-defined]
    main()
