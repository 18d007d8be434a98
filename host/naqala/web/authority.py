"""https with the house's own authority: made at the first start, renewed by itself.

Phones trust a certificate when they trust who signed it. The authority signs only for this network: private addresses, names
that routers give, this machine's own. Its constraints say so in the certificate, so whoever steals its key can pretend to be no
site on the internet.

    folder/authority.crt   what people install on a phone     folder/authority.key   owner-only
    folder/house.crt       the server's, signed for every name and address of this machine; house.key likewise

`Authority(folder).context()` is what the server uses; `renew()` makes a new certificate when the old one nears its end, the machine
has other addresses, or the clock has jumped; connections from then on use it.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import ssl
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import ifaddr
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

OF_THE_AUTHORITY, OF_THE_HOUSE = timedelta(days=3650), timedelta(days=397)  # phones refuse a longer one
RENEW_BEFORE = timedelta(days=60)
BACKDATED = timedelta(days=30)  # a machine without a battery clock may be behind
LOCAL_NAMES = ("localhost", "local", "lan", "home", "home.arpa", "internal", "localdomain", "fritz.box")
LOCAL_NETWORKS = (
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "169.254.0.0/16",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "::1/128",
    "fc00::/7",
    "fe80::/10",
)
Key = ec.EllipticCurvePrivateKey


class Authority:
    """The files of one folder. `names` are further names and addresses of this machine. Raises OSError when the files cannot be
    written."""

    def __init__(self, folder: Path, names: Iterable[str] = ()) -> None:
        self._folder = folder
        self._names = tuple(names)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.minimum_version = ssl.TLSVersion.TLSv1_2
        self._tls.options |= ssl.OP_NO_COMPRESSION
        self._tls.set_alpn_protocols(["h2", "http/1.1"])
        if not self._whole():
            self._found()
        self.renew(always=not self._good())
        self._tls.load_cert_chain(self._folder / "house.crt", self._folder / "house.key")

    def context(self) -> ssl.SSLContext:
        """For the server; a renewed certificate is used by it from then on."""
        return self._tls

    def certificate(self) -> bytes:
        """The authority's certificate as phones install it (DER)."""
        found = x509.load_pem_x509_certificate((self._folder / "authority.crt").read_bytes())
        return found.public_bytes(serialization.Encoding.DER)

    def fingerprint(self) -> str:
        """What a careful person compares: "3F 9A ..." of the certificate."""
        found = x509.load_pem_x509_certificate((self._folder / "authority.crt").read_bytes())
        return found.fingerprint(hashes.SHA256()).hex(" ").upper()

    def renew(self, always: bool = False) -> bool:
        """Make a new certificate for the house if it needs one; whether it did."""
        if not always and self._good():
            return False
        key = ec.generate_private_key(ec.SECP256R1())
        authority = x509.load_pem_x509_certificate((self._folder / "authority.crt").read_bytes())
        signing = self._key("authority.key")
        names = _alternatives(self._names, authority)
        now = _now()
        made = (
            x509.CertificateBuilder()
            .subject_name(_name("Naqala"))
            .issuer_name(authority.subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - BACKDATED)
            .not_valid_after(now - BACKDATED + OF_THE_HOUSE)
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.public_key()), critical=False
            )
            .sign(signing, hashes.SHA256())
        )
        self._write("house.key", _private(key))
        self._write("house.crt", made.public_bytes(serialization.Encoding.PEM))
        self._tls.load_cert_chain(self._folder / "house.crt", self._folder / "house.key")
        return True

    # --- inside -----------------------------------------------------------------------------------------------

    def _found(self) -> None:
        """Make the authority. Its number makes two houses two authorities on one phone."""
        key = ec.generate_private_key(ec.SECP256R1())
        number = x509.random_serial_number()
        name = _name(f"Naqala at {socket.gethostname()[:40]} ({number % 10_000:04d})")
        now = _now()
        made = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(number)
            .not_valid_before(now - OF_THE_HOUSE)
            .not_valid_after(now + OF_THE_AUTHORITY)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_signs_only(), critical=True)
            .add_extension(_only_here(), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .sign(key, hashes.SHA256())
        )
        self._write("authority.key", _private(key))
        self._write("authority.crt", made.public_bytes(serialization.Encoding.PEM))
        (self._folder / "house.crt").unlink(missing_ok=True)

    def _whole(self) -> bool:
        """Whether the authority can be used; a damaged or expired one is made again."""
        try:
            made = x509.load_pem_x509_certificate((self._folder / "authority.crt").read_bytes())
            key = self._key("authority.key")
        except (OSError, ValueError, TypeError):
            return False
        (self._folder / "authority.key").chmod(0o600)
        return made.not_valid_after_utc > _now() and made.public_key() == key.public_key()

    def _good(self) -> bool:
        """Whether the house's certificate is signed by this authority, for these names, at this time."""
        try:
            made = x509.load_pem_x509_certificate((self._folder / "house.crt").read_bytes())
            self._key("house.key")
            authority = x509.load_pem_x509_certificate((self._folder / "authority.crt").read_bytes())
            made.verify_directly_issued_by(authority)
            wanted = set(_alternatives(self._names, authority))
            names = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        except Exception:  # whatever is wrong with it, a new one is made
            return False
        in_time = made.not_valid_before_utc <= _now() <= made.not_valid_after_utc - RENEW_BEFORE
        return in_time and wanted <= set(names)

    def _key(self, name: str) -> Key:
        found = serialization.load_pem_private_key((self._folder / name).read_bytes(), None)
        if not isinstance(found, Key):
            raise ValueError(f"{name} is not an elliptic curve key")
        return found

    def _write(self, name: str, content: bytes) -> None:
        """In one step, and for the owner's eyes only."""
        fresh = self._folder / f"{name}.new"
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._folder / name)


def addresses() -> list[str]:
    """Every address of this machine, without zones; those of the network before those of the machine alone."""
    found = [
        str(one.ip if isinstance(one.ip, str) else one.ip[0]).partition("%")[0]
        for adapter in ifaddr.get_adapters()
        for one in adapter.ips
    ]
    return sorted(dict.fromkeys(found), key=lambda one: ipaddress.ip_address(one).is_loopback)


def _alternatives(names: Iterable[str], authority: x509.Certificate) -> list[x509.GeneralName]:
    """What the house is called and where it is, as far as the authority may sign it."""
    allowed = authority.extensions.get_extension_for_class(x509.NameConstraints).value.permitted_subtrees
    domains = [one.value for one in allowed or () if isinstance(one, x509.DNSName)]
    networks = [one.value for one in allowed or () if isinstance(one, x509.IPAddress)]
    host = socket.gethostname().lower()
    called = dict.fromkeys(["localhost", host, f"{host}.local", f"{host}.lan", *filter(_a_name, names)])
    told = [one for one in names if not _a_name(one)]
    here = [ipaddress.ip_address(one) for one in dict.fromkeys([*addresses(), *told, "127.0.0.1"])]
    dns = [x509.DNSName(one) for one in called if _a_name(one) and any(_below(one, d) for d in domains)]
    return [*dns, *(x509.IPAddress(one) for one in here if any(_inside(one, net) for net in networks))]


def _a_name(text: str) -> bool:
    """A name that a certificate can carry; an address is none."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return text.isascii() and "_" not in text
    return False


def _below(name: str, domain: str) -> bool:
    return name == domain or name.endswith(f".{domain}")


def _inside(address: Any, network: Any) -> bool:
    return network.version == address.version and address in network


def _only_here() -> x509.NameConstraints:
    """Local names, private networks, and where this machine is now, should that be neither."""
    host = socket.gethostname().lower()
    networks = [ipaddress.ip_network(one) for one in (*LOCAL_NETWORKS, *addresses())]
    return x509.NameConstraints(
        [
            *(x509.DNSName(name) for name in dict.fromkeys([*LOCAL_NAMES, host]) if _a_name(name)),
            *(x509.IPAddress(one) for one in dict.fromkeys(networks)),
        ],
        None,
    )


def _signs_only() -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _private(key: Key) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _now() -> datetime:
    return datetime.now(UTC)
