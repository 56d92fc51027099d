"""The metrics of a connector, under the names of CNX-09, and what is read back from them (CNX-11.4)."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Literal

import aiohttp

from butler_contracts.heartbeat import ConnectorCountersV1
from butler_kit.auth import KeyFileError
from butler_kit.mcp import AuthenticationRefused, ToolError
from butler_kit.sources.faults import SourceFault
from butler_kit.telemetry import Metrics
from butler_kit.telemetry.instruments import Instrument
from butler_kit.time import Clock

__all__ = ["INSTRUMENTS", "ConnectorMetrics", "Submission", "error_type"]

_SOURCE: Final = ("connector_type", "endpoint_identity")
_LABEL_CHARS: Final = 80
LATENCY_BUCKETS_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
INSTRUMENTS: Final = (
    Instrument(
        "connector_ingest_submissions", "counter", "Submissions to Switchboard.", (*_SOURCE, "status")
    ),
    Instrument(
        "connector_ingest_latency_seconds",
        "histogram",
        "Time from submission to Switchboard's answer.",
        _SOURCE,
        LATENCY_BUCKETS_S,
    ),
    Instrument(
        "connector_source_api_calls",
        "counter",
        "Calls to the source provider.",
        (*_SOURCE, "api_method", "status"),
    ),
    Instrument("connector_checkpoint_saves", "counter", "Checkpoints saved.", (*_SOURCE, "status")),
    Instrument("connector_errors", "counter", "Errors by kind.", (*_SOURCE, "error_type", "operation")),
    Instrument("connector_messages_skipped", "counter", "Events skipped on purpose.", (*_SOURCE, "reason")),
    Instrument(
        "connector_messages_refused", "counter", "Messages permanently refused.", (*_SOURCE, "reason")
    ),
    Instrument(
        "connector_messages_parked",
        "counter",
        "Messages parked because Switchboard fails on them.",
        (*_SOURCE, "reason"),
    ),
    Instrument(
        "connector_parked_waiting", "gauge", "Parked messages not yet accepted by Switchboard.", _SOURCE
    ),
    Instrument(
        "connector_leading",
        "gauge",
        "1 while this instance holds the lease of its source and reads it, 0 while it is on standby.",
        _SOURCE,
    ),
    Instrument("connector_inflight_submissions", "gauge", "Submissions waiting for an answer.", _SOURCE),
)

Outcome = Literal["success", "error", "duplicate"]


@dataclass
class Submission:
    """How the submission inside `track_ingest_submission` ended."""

    status: Outcome = "success"


def error_type(error: BaseException) -> str:
    """Return the kind of failure, from the closed set of the label `error_type` (CNX-09.3)."""
    if isinstance(error, SourceFault):
        return error.kind
    if isinstance(error, ToolError):
        return error.error.error_class.value if error.error is not None else "tool_error"
    if isinstance(error, aiohttp.ClientResponseError):
        return "http_error"
    if isinstance(error, TimeoutError | asyncio.TimeoutError):
        return "timeout"
    if isinstance(error, AuthenticationRefused | KeyFileError | PermissionError):
        return "auth_error"
    if isinstance(error, ConnectionError | ssl.SSLError | socket.gaierror | aiohttp.ClientError):
        return "connection_error"
    if isinstance(error, OSError):
        return "io_error"
    if isinstance(error, ValueError | TypeError | KeyError):
        return "parse_error"
    return "unknown"


class ConnectorMetrics:
    """Counts what one connector does; the labels that name the connector are filled in here."""

    def __init__(
        self, metrics: Metrics, *, connector_type: str, endpoint_identity: str, clock: Clock
    ) -> None:
        self.metrics = metrics
        self._clock = clock
        self._source = {
            "connector_type": connector_type[:_LABEL_CHARS],
            "endpoint_identity": endpoint_identity[:_LABEL_CHARS],
        }
        self._skip_reasons: set[str] = set()
        self._refuse_reasons: set[str] = set()

    @contextmanager
    def track_ingest_submission(self) -> Iterator[Submission]:
        """Time a submission and count its status; an exception counts as `error`, re-raised (CNX-09.4)."""
        submission = Submission()
        started = self._clock.monotonic()
        self.metrics.add("connector_inflight_submissions", 1, **self._source)
        try:
            yield submission
        except BaseException as error:
            submission.status = "error"
            self.error(error, "ingest")
            raise
        finally:
            self.metrics.add("connector_inflight_submissions", -1, **self._source)
            seconds = self._clock.monotonic() - started
            self.metrics.observe("connector_ingest_latency_seconds", seconds, **self._source)
            self.metrics.count("connector_ingest_submissions", **self._source, status=submission.status)

    @contextmanager
    def track_source_call(self, api_method: str) -> Iterator[None]:
        """Count a call of the provider as `success`, or as the kind of its failure (CNX-09.2)."""
        status = "success"
        try:
            yield
        except BaseException as error:
            cancelled = isinstance(error, asyncio.CancelledError)
            status = "cancelled" if cancelled else error_type(error)
            if not cancelled:
                self.error(error, api_method)
            raise
        finally:
            self.metrics.count(
                "connector_source_api_calls", **self._source, api_method=api_method, status=status
            )

    def checkpoint_saved(self, *, ok: bool) -> None:
        """Count one save of the checkpoint (CNX-09.3)."""
        self.metrics.count("connector_checkpoint_saves", **self._source, status="success" if ok else "error")

    def error(self, error: BaseException, operation: str) -> None:
        """Count an error by its kind and by what was being done (CNX-09.3)."""
        self.metrics.count(
            "connector_errors", **self._source, error_type=error_type(error), operation=operation
        )

    def skipped(self, reason: str) -> None:
        """Count an event that is not submitted on purpose (D10)."""
        self._skip_reasons.add(reason)
        self.metrics.count("connector_messages_skipped", **self._source, reason=reason)

    def refused(self, reason: str) -> None:
        """Count a message that was refused for good (D15)."""
        self._refuse_reasons.add(reason)
        self.metrics.count("connector_messages_refused", **self._source, reason=reason)

    def parked(self, reason: str) -> None:
        """Count a message that was parked, by what Switchboard said."""
        self.metrics.count("connector_messages_parked", **self._source, reason=reason)

    def waiting_parked(self, messages: int) -> None:
        """Set the number of messages that are parked now."""
        self.metrics.set("connector_parked_waiting", messages, **self._source)

    def leads(self, reading: bool) -> None:
        """Set whether this instance reads the source that several share."""
        self.metrics.set("connector_leading", int(reading), **self._source)

    def counters(self) -> ConnectorCountersV1:
        """Return the heartbeat's counters, read from the registry (CNX-11.4)."""
        return ConnectorCountersV1(
            messages_ingested=self._submissions("success"),
            messages_failed=self._submissions("error"),
            dedupe_accepted=self._submissions("duplicate"),
            source_api_calls=self._sum_of("connector_source_api_calls_total"),
            checkpoint_saves=self._read("connector_checkpoint_saves", status="success"),
            messages_skipped={
                reason: self._read("connector_messages_skipped", reason=reason)
                for reason in sorted(self._skip_reasons)[:32]
            },
            messages_refused=self._sum_of("connector_messages_refused_total"),
            messages_parked=self._read("connector_parked_waiting"),
        )

    def _submissions(self, status: Outcome) -> int:
        return self._read("connector_ingest_submissions", status=status)

    def _read(self, name: str, **labels: str) -> int:
        return int(self.metrics.value(name, **self._source, **labels))

    def _sum_of(self, sample_name: str) -> int:
        samples = (sample for family in self.metrics.registry.collect() for sample in family.samples)
        return int(sum(sample.value for sample in samples if sample.name == sample_name))
