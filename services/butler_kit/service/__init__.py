"""The shell of a process: HTTP on one port, health, background tasks, SIGTERM drain."""

from butler_kit.service.app import DrainLimits, ServiceApp, run_service
from butler_kit.service.checks import Readiness, ReadyCheck
from butler_kit.service.health import HealthPages
from butler_kit.service.repetition import repeat
from butler_kit.service.server import PortUnavailable
from butler_kit.service.supervision import Supervised

__all__ = [
    "DrainLimits",
    "HealthPages",
    "PortUnavailable",
    "Readiness",
    "ReadyCheck",
    "ServiceApp",
    "Supervised",
    "repeat",
    "run_service",
]
