"""A household's own certificate authority, made by the test, and a server certificate for an address."""

from __future__ import annotations

import ipaddress
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

__all__ = ["Authority"]

_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Authority:
    """`file` holds the authority's certificate, for `SSL_CERT_FILE` or `BUTLERS_CA_FILE`."""

    file: Path
    _key: ec.EllipticCurvePrivateKey
    _name: x509.Name

    @classmethod
    def make(cls, folder: Path, name: str = "household") -> Authority:
        folder.mkdir(parents=True, exist_ok=True)
        key, subject = ec.generate_private_key(ec.SECP256R1()), _name(f"The {name}'s authority")
        certificate = (
            _builder(subject, subject, key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .sign(key, hashes.SHA256())
        )
        file = folder / f"{name}-ca.pem"
        file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        return cls(file, key, subject)

    def server(self, host: str = "127.0.0.1") -> ssl.SSLContext:
        """What a server on `host`, an IP address, shows."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(host))])
        certificate = (
            _builder(_name(host), self._name, key)
            .add_extension(names, critical=False)
            .sign(self._key, hashes.SHA256())
        )
        chain = self.file.with_name(f"{self.file.stem}-server.pem")
        chain.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain)
        return context


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _DAY)
        .not_valid_after(now + _DAY)
    )
