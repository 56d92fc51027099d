"""What the framework asks for at start: how to log in."""

from __future__ import annotations

from typing import Any

import kopf


@kopf.on.login()
async def login(**arguments: Any) -> kopf.ConnectionInfo | None:
    """The pod's service account, else the user's kubeconfig; asked again when the API answers 401."""
    return kopf.login_with_service_account(**arguments) or kopf.login_with_kubeconfig(**arguments)
