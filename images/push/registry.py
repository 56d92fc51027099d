"""Where images go: a registry's host, prefix and protocol; and the name of an image there."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from images.push.refused import Refused

__all__ = ["Registry", "checked_tag"]

COMPONENT = re.compile(r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*")
HOST = re.compile(
    r"(?P<name>\[[0-9a-fA-F:]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?::(?P<port>\d{1,5}))?"
)
TAG = re.compile(r"\w[\w.-]{0,127}", re.ASCII)


@dataclass(frozen=True)
class Registry:
    """`host[:port]/prefix`, parsed."""

    host: str
    prefix: str = ""
    plain_http: bool = False

    @classmethod
    def parse(cls, text: str, *, plain_http: bool = False) -> Registry:
        """Parse REGISTRY=…; plain HTTP is for this machine only, unless it is asked for."""
        if "://" in text:
            raise Refused(
                f"REGISTRY={text}: leave out {text.partition('://')[0]}://, as in host[:port]/prefix"
            )
        host, _, prefix = text.rstrip("/").partition("/")
        matched = HOST.fullmatch(host)
        if matched is None:
            raise Refused(f"REGISTRY={text or '…'}: name a registry, as in host[:port]/prefix")
        name = matched["name"]
        if matched["port"] is None and "." not in name and not name.startswith("[") and name != "localhost":
            # Every container program takes such a word for a Docker Hub user.
            raise Refused(
                f"REGISTRY={text}: {name} is no host; one has a dot or a port, as docker.io/{text} has"
            )
        for part in prefix.split("/") if prefix else ():
            if not COMPONENT.fullmatch(part):
                raise Refused(f"REGISTRY={text}: {part or 'an empty part'} cannot be part of an image's name")
        return cls(host, prefix, plain_http or _loopback(name))

    @property
    def address(self) -> str:
        """The part before an image's own name."""
        return f"{self.host}/{self.prefix}" if self.prefix else self.host

    @property
    def charts(self) -> str:
        """Charts have their own folder: one has the same name as an image."""
        return f"oci://{self.address}/charts"


def checked_tag(tag: str) -> str:
    """Return TAG=… if it is a valid tag."""
    if not TAG.fullmatch(tag):
        raise Refused(
            f"TAG={tag}: a tag has letters, digits, '_', '.' and '-', 128 at most, and begins with no '.' or '-'"
        )
    return tag


def _loopback(name: str) -> bool:
    try:
        return name == "localhost" or ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False
