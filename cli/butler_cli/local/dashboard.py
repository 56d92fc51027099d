"""The dashboard's one-time link: a program that may sign tokens sends a person there without showing one."""

from __future__ import annotations

from typing import Final

import httpx

__all__ = ["LINK_LIFE", "one_time_link"]

LINK_LIFE: Final = "works once, within five minutes"


async def one_time_link(client: httpx.AsyncClient, *, url: str, token: str) -> str:
    """Return a link that signs a browser in at the dashboard at `url`; just `url` if it makes none now."""
    try:
        answer = await client.post(f"{url}/login/once", headers={"Authorization": f"Bearer {token}"})
        answer.raise_for_status()
        path = answer.json()["path"]
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        return url
    return f"{url}{path}"
