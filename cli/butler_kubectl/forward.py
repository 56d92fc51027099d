"""A port of this machine that leads to a Service of the cluster, by `kubectl port-forward`.

Invariant: it listens on loopback only and never outlives this process, however that one ends.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from typing import Final

from butler_kubectl.kubectl import Kubectl, KubectlError
from butler_kubectl.refused import Role, refusal

__all__ = ["PortForward"]

OPEN_TIMEOUT_S: Final = 15.0
POLL_S: Final = 0.02
_OPEN: Final = re.compile(rb"Forwarding from 127\.0\.0\.1:(\d+) -> ")


class PortForward:
    """Opened on creation; `close` it. Raises `KubectlError` if it cannot be opened."""

    def __init__(self, kubectl: Kubectl, service: str, port: int, *, local: int | None = None) -> None:
        """`local` is the port of this machine; any free one if it is None."""
        # Files, not pipes: kubectl prints a line for each connection, and nobody reads them.
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        self._complained = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        self._kubectl = kubectl
        self._process, self._end = kubectl.start(
            "port-forward", f"service/{service}", f"{local or ''}:{port}", "--address=127.0.0.1",
            stdout=self._said.fileno(), stderr=self._complained.fileno(),
        )  # fmt: skip
        try:
            self.port = self._opened(service)
        except BaseException:
            self.close()
            raise

    @property
    def open(self) -> bool:
        """Whether kubectl still forwards."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the forwarding."""
        self._end()
        self._said.close()
        self._complained.close()

    def _opened(self, service: str) -> int:
        deadline = time.monotonic() + OPEN_TIMEOUT_S
        while time.monotonic() < deadline:
            ended = not self.open
            found = _OPEN.search(_content(self._said.fileno()))
            if found is not None:
                return int(found[1])
            if ended:
                words = _content(self._complained.fileno()).decode(errors="replace")
                raise KubectlError(refusal(words, role=Role.READER, where=self._kubectl.flags.where), words)
            time.sleep(POLL_S)
        raise KubectlError(
            f"kubectl port-forward to service/{service} was not open within {OPEN_TIMEOUT_S:g} s; "
            "`kubectl butler diagnose` shows how its pods are"
        )


def _content(descriptor: int) -> bytes:
    return os.pread(descriptor, 65_536, 0)
