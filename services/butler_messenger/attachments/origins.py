"""PURE: which files may be fetched at all, and which addresses a name may resolve to (ADR 0103).

Invariant: an address in one's own network is connected to only if the manifest's origin is one by its very form, so
that nobody else's name leads into it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final

from butler_contracts.attachments import is_within
from butler_contracts.errors import ValidationFailed
from butler_contracts.model_urls import is_ones_own
from butler_contracts.notify import NotifyRequestV1

__all__ = ["AttachmentRules", "may_connect"]

_NAT64: Final = IPv6Network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class AttachmentRules:
    """`origins` are the manifest's, empty if files are off; `carriers` are the channels that take files."""

    origins: tuple[str, ...] = ()
    carriers: Collection[str] = ()

    def check(self, notify: NotifyRequestV1) -> None:
        """Raise `ValidationFailed` for files that cannot be sent; no address is repeated in it."""
        delivery = notify.delivery
        if not delivery.attachments:
            return
        if not self.origins:
            raise ValidationFailed(
                "delivery.attachments: this household sends no files; its manifest names no modules.attachments"
            )
        if delivery.channel not in self.carriers:
            raise ValidationFailed(f"delivery.attachments: channel '{delivery.channel}' carries no files")
        for number, one in enumerate(delivery.attachments):
            if not self.allows(one.uri):
                raise ValidationFailed(
                    f"delivery.attachments[{number}].uri is below none of the origins that "
                    "modules.attachments names"
                )

    def allows(self, uri: str) -> bool:
        """Whether an object is below an origin of the manifest."""
        return any(is_within(uri, origin) for origin in self.origins)


def may_connect(host: str, address: str) -> bool:
    """Return whether the name `host` of an origin may resolve to `address`.

    A public name may resolve to public addresses, `localhost` to this machine, a name in one's own network to
    anything but this machine and its link.
    """
    one = _plain(ip_address(address))
    if host == "localhost" or host.endswith(".localhost"):
        return one.is_loopback
    if is_ones_own(f"http://{host}"):
        outside = one.is_loopback or one.is_link_local or one.is_unspecified
        return not (outside or one.is_multicast or (one.is_reserved and one.version == 4))
    return one.is_global and not one.is_multicast


def _plain(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address that an IPv6 address stands for, else the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address
