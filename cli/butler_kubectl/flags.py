"""kubectl's own flags on the verbs: kubectl passes a plugin none, so it takes them itself and passes them on.

Invariant: an accepted flag reaches kubectl; a verb that cannot honour a flag does not have it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import click

from butler_kubectl.durations import seconds_of
from butler_kubectl.kubectl import Flags, Kubectl

__all__ = [
    "cluster_flags",
    "flags_of",
    "group_flags",
    "no_headers_option",
    "output_option",
    "scope_option",
    "selector_option",
    "watch_option",
]

F = TypeVar("F", bound=Callable[..., Any])


def _request_timeout(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and seconds_of(value) is None:
        raise click.BadParameter(f"{value!r} is no length of time; give 30s or 2m.")
    return value


_OPTIONS: Final = (
    click.option("--kubeconfig", metavar="FILE", help="Kubeconfig file to use."),
    click.option("--context", metavar="NAME", help="Kubeconfig context to use."),
    click.option("--cluster", metavar="NAME", help="Kubeconfig cluster to use."),
    click.option("--user", metavar="NAME", help="Kubeconfig user to use."),
    click.option("--as", "as_user", metavar="USER", help="User to impersonate."),
    click.option("--as-group", "as_groups", multiple=True, metavar="GROUP", help="Group to impersonate; repeatable."),
    click.option("-n", "--namespace", metavar="NAME", help="Namespace of the household."),
    click.option(
        "--request-timeout", metavar="TIME", callback=_request_timeout, help="Timeout of one request: 30s, 2m."
    ),
)  # fmt: skip
_NAMES: Final = tuple(Flags.__dataclass_fields__)


def group_flags(command: F) -> F:
    """Add the flags before the verb; those after it win."""
    return _with_options(command)


def cluster_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags of a verb; the function gets `kubectl`, and a verb below it the same flags."""

    @functools.wraps(command)
    def with_kubectl(*arguments: Any, **values: Any) -> Any:
        own = {name: values.pop(name) for name in _NAMES}
        parent = click.get_current_context().parent
        before = parent.obj if parent is not None and isinstance(parent.obj, dict) else {}
        given = {name: own[name] or before.get(name) for name in _NAMES}
        click.get_current_context().obj = given
        return command(*arguments, kubectl=Kubectl.found(flags_of(given)), **values)

    return _with_options(with_kubectl)


def flags_of(given: Mapping[str, Any]) -> Flags:
    """Return the flags by the names of their fields; what is not given stays out."""
    return Flags(**{**given, "as_groups": tuple(given.get("as_groups") or ())})


def _with_options(command: F) -> F:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def output_option(*forms: str) -> Callable[[F], F]:
    """`-o`: the form of the output; None is the table or line that a person reads."""
    return click.option(
        "-o", "--output", type=click.Choice(forms or ("json", "yaml", "name", "wide")), help="Output format."
    )  # fmt: skip


scope_option = click.option("-A", "--all-namespaces", "everywhere", is_flag=True, help="All namespaces.")
selector_option = click.option("-l", "--selector", metavar="LABELS", help="Only resources with these labels.")
watch_option = click.option("-w", "--watch", is_flag=True, help="Refresh until Ctrl-C.")
no_headers_option = click.option("--no-headers", is_flag=True, help="Print only the rows.")
