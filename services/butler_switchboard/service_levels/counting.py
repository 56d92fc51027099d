"""The metrics events of Switchboard, of which some also count for the service levels (SWB-41.1).

What somebody had done again (a replay, a reroute, a correction) has no `concluded` and says `again` of its parts: it
counts for no level.
"""

from __future__ import annotations

from butler_kit.telemetry import Metrics
from butler_switchboard.ingress.rows import AdmissionRow
from butler_switchboard.service_levels.tally import Tally
from butler_switchboard.telemetry import SwitchboardMetrics

__all__ = ["CountedMetrics"]


class CountedMetrics(SwitchboardMetrics):
    """The same events and series; `tally` has the counts until the keeper stores them."""

    tally: Tally

    def __init__(self, metrics: Metrics, tally: Tally) -> None:
        super().__init__(metrics)
        object.__setattr__(self, "tally", tally)

    def accepted(self, row: AdmissionRow, *, strategy: str, duplicate: bool, seconds: float) -> None:
        super().accepted(row, strategy=strategy, duplicate=duplicate, seconds=seconds)
        if row.backfill_job_id is None:
            self.tally.accepted(seconds)

    def ended(self, target: str, outcome: str, seconds: float | None, *, again: bool = False) -> None:
        super().ended(target, outcome, seconds, again=again)
        if not again:
            self.tally.routed(outcome)

    def concluded(self, channel: str, state: str, *, seconds: float, interactive: bool) -> None:
        super().concluded(channel, state, seconds=seconds, interactive=interactive)
        self.tally.concluded(seconds, interactive=interactive)
