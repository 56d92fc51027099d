"""The shell of a process: HTTP on one port, health, background tasks, SIGTERM drain."""

from butler_kit.service.app import DrainLimits, ServiceApp, run_service
from butler_kit.service.checks import Readiness, ReadyCheck
from butler_kit.service.server import PortUnavailable
from butler_kit.service.supervision import Supervised

__all__ = [
    "DrainLimits",
    "PortUnavailable",
    "Readiness",
    "ReadyCheck",
    "ServiceApp",
    "Supervised",
    "run_service",
]
