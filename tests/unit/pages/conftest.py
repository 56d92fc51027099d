"""Renders pages from samples, without a database or a server."""

from __future__ import annotations

from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest
from lxml import html as lxml_html
from starlette.requests import Request

from butler_dashboard.pages.rendering import Pages
from butler_kit.time import ManualClock
from tests.support.dashboard_samples import NOW


def address(path: str, *, acting: bool = False) -> Request:
    """A GET of `path`, as a page is asked for by whoever may look, or `acting`."""
    bare, _, query = path.partition("?")
    return Request(
        {
            "type": "http",
            "method": "GET",
            "path": bare,
            "query_string": query.encode(),
            "headers": [(b"host", b"127.0.0.1")],
            "server": ("127.0.0.1", 80),
            "scheme": "http",
            "path_params": {},
            **({"butlers.dashboard.form_key": "key"} if acting else {}),
        }
    )


@pytest.fixture(scope="session")
def pages():
    return Pages(zone=ZoneInfo("Europe/Berlin"), clock=ManualClock(NOW))


@pytest.fixture
def shown(pages):
    """`shown(path, template, acting=False, **context)`: the page's text, its tree and its words."""

    def render(path, template, *, acting=False, **context):
        text = pages.page(
            address(path, acting=acting), template, {"newest": None, "older": None, **context}
        ).body.decode()
        tree = lxml_html.document_fromstring(text)
        return SimpleNamespace(text=text, tree=tree, words=" ".join(str(tree.xpath("string()")).split()))

    return render
