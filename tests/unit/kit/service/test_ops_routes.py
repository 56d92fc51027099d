"""One application of an ops API serves several services of a process, each with what it hands in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final

from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from butler_kit.ops.app import create_ops_app, ops_router
from butler_kit.ops.inputs import handed
from butler_kit.ops.routes import ops_routes


@dataclass(frozen=True)
class Shelf:
    book: str


shelves: Final = ops_router()


@shelves.get("/books")
async def books(shelf: Annotated[Shelf, handed(Shelf)]) -> str:
    """The book."""
    return shelf.book


class Open:
    def guard(self, app: ASGIApp, *, json_posts: bool = False) -> ASGIApp:
        return app


def test_each_service_answers_from_what_it_hands_in_and_is_asked_for_it_once() -> None:
    app, asked = create_ops_app("Shelves", (shelves,)), list[str]()

    def serving(book: str) -> TestClient:
        def hands() -> dict[type[Any], Any]:
            asked.append(book)
            return {Shelf: Shelf(book)}

        return TestClient(Starlette(routes=ops_routes(Open(), lambda: app, hands)))

    first, second = serving("Emma"), serving("Ulysses")
    assert asked == []
    read = [client.get("/ops/v1/books").json() for client in (first, second, first)]
    assert read == ["Emma", "Ulysses", "Emma"]
    assert asked == ["Emma", "Ulysses"]
