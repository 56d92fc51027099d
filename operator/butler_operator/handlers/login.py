"""The login handler that kopf calls at start."""

from __future__ import annotations

from typing import Any

import kopf


@kopf.on.login()
async def login(**arguments: Any) -> kopf.ConnectionInfo | None:
    """Use the pod's service account, else the user's kubeconfig; called again when the API answers 401."""
    return kopf.login_with_service_account(**arguments) or kopf.login_with_kubeconfig(**arguments)
