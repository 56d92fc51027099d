"""Start and end: framework settings, clients, the tasks that reconcile; whoever starts a task cancels it."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import httpx
import kopf

from butler_kit.telemetry import get_logger
from butler_operator.cluster.client import connect
from butler_operator.cluster.errors import ClusterGone, ClusterUnavailable
from butler_operator.cluster.paths import OWN_KINDS
from butler_operator.control.kinds import register_all
from butler_operator.control.runtime import Runtime
from butler_operator.control.tasks import Tasks
from butler_operator.settings import OperatorSettings, configure

_log = get_logger(__name__)


@kopf.on.startup()
async def start(settings: kopf.OperatorSettings, memo: Any, **_: Any) -> None:
    """Make the runtime, unless whoever embeds the operator has made one already."""
    configure(settings)
    if not hasattr(memo, "runtime"):
        ours = OperatorSettings.from_env(os.environ)
        http = httpx.AsyncClient(trust_env=False)
        memo.runtime = Runtime(settings=ours, cluster=await connect(), http=http)
    await _wait_for_kinds(memo.runtime)
    memo.tasks = Tasks(memo.runtime, register_all(memo.runtime))
    memo.tasks.start()
    _log.info("operator_started", namespaces=list(memo.runtime.settings.namespaces))


async def _wait_for_kinds(runtime: Runtime) -> None:
    """The framework looks for resources once: it would never serve a kind that is installed after it has looked."""
    try:
        for kind in OWN_KINDS:
            await runtime.cluster.list_all(kind.kind, runtime.settings.namespaces[0])
    except ClusterGone as error:
        text = f"{kind.plural}.{kind.group} is not installed; install the chart butlers-crds"
        raise kopf.TemporaryError(text, delay=5) from error
    except ClusterUnavailable as error:
        raise kopf.TemporaryError(error.message, delay=5) from error


@kopf.on.login()
async def login(**arguments: Any) -> kopf.ConnectionInfo | None:
    """The pod's service account, else the user's kubeconfig; asked again when the API answers 401."""
    return kopf.login_with_service_account(**arguments) or kopf.login_with_kubeconfig(**arguments)


@kopf.on.cleanup()
async def end(memo: Any, **_: Any) -> None:
    """Stop working and close what was opened; a key that was cut short is reconciled at the next start."""
    if hasattr(memo, "tasks"):
        async with asyncio.timeout(10):
            await memo.tasks.stop()
            await memo.runtime.close()
    _log.info("operator_ended")
