"""Connections that know PostgreSQL's own array types, which asyncpg looks up on every new connection.

That query joins half of the catalogue: it leaves 2.5 MB in the connection's server process, and 10 to 60 ms pass
before the first statement with a list of ids. The oids are fixed in PostgreSQL's pg_type.dat, so the answer is too.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

from asyncpg.connection import Connection

__all__ = ["ELEMENTS", "ArraysKnown"]

ELEMENTS: Final = {
    1000: ("bool", 16),
    1005: ("int2", 21),
    1007: ("int4", 23),
    1016: ("int8", 20),
    1022: ("float8", 701),
    1185: ("timestamptz", 1184),
    2951: ("uuid", 2950),
}
"""Keyed by an array's oid: the name and the oid of its element."""
_NOT_ANONYMOUS: Final = SimpleNamespace(name="known")
"""No statement was prepared for the answer, so none has replaced the one that is being prepared."""


class ArraysKnown(Connection):
    """A connection that looks up only types that are not PostgreSQL's own."""

    async def _introspect_types(self, typeoids: Any, timeout: float | None) -> tuple[Any, Any]:
        if all(oid in ELEMENTS for oid in typeoids):
            return [_array(oid) for oid in typeoids], _NOT_ANONYMOUS
        asked: tuple[Any, Any] = await super()._introspect_types(typeoids, timeout)  # type: ignore[misc]
        return asked


def _array(oid: int) -> dict[str, Any]:
    """Return the row that asyncpg's own query has for it."""
    element, element_oid = ELEMENTS[oid]
    return {
        "oid": oid,
        "ns": "pg_catalog",
        "name": f"_{element}",
        "kind": b"b",
        "basetype": None,
        "elemtype": element_oid,
        "elemtype_name": element,
        "elemdelim": ",",
        "range_subtype": None,
        "attrtypoids": None,
        "attrnames": None,
    }
