"""A Switchboard killed at each step of a digest: the next one sends it under the same key, and nobody is left out."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from butler_kit.faults import points
from butler_kit.faults.binding import FAULTS_DIR
from butler_kit.telemetry import BUFFER, SPAWNER, SWITCHBOARD, Metrics
from butler_specialist.store.model import RecordDraft
from butler_switchboard.operations.audit import Audit
from butler_switchboard.registry.butlers import Butlers
from butler_switchboard.registry.records import Declaration
from butler_switchboard.registry.store import ButlerStore
from butler_switchboard.telemetry import SwitchboardMetrics
from tests.faults.household import Armed
from tests.faults.ledger import LEDGER
from tests.flow.household.test_digest import ENDED, YESTERDAY, digests
from tests.integration.specialist.household import CountingSwitchboard, Place, plan_for
from tests.support.database import Provision
from tests.support.loopback import free_port
from tests.support.switchboard_service import Household, config_text, household, until

SPECIALIST = (sys.executable, "-m", "butler_specialist")
PATIENCE_S = 120.0
BERLIN = ZoneInfo("Europe/Berlin")
REGISTERED = "SELECT tools <> '{}' FROM butler_registry WHERE name = 'health'"
MEMBERS = "SELECT count(*) FROM shared.contacts WHERE role IN ('owner', 'member')"
