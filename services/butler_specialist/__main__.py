"""`python -m butler_specialist --config butler.toml`."""

from __future__ import annotations

import sys

from butler_kit.service.main import service_main
from butler_specialist.app import build_service
from butler_specialist.settings import SpecialistConfig


def main() -> int:
    """Serve until a signal."""
    return service_main(
        "butler_specialist", "Keeps what it is told and answers from it.", SpecialistConfig, build_service
    )


if __name__ == "__main__":
    sys.exit(main())
