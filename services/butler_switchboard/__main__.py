"""`python -m butler_switchboard --config butler.toml`."""

from __future__ import annotations

import sys

from butler_kit.service.main import service_main
from butler_switchboard.app import build_service
from butler_switchboard.settings import SwitchboardConfig


def main() -> int:
    """Serve until a signal arrives."""
    return service_main(
        "butler_switchboard", "Accepts, routes and records every message.", SwitchboardConfig, build_service
    )


if __name__ == "__main__":
    sys.exit(main())
