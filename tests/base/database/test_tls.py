"""A database that demands TLS, as managed ones do: encrypted, with its certificate checked, and seen by the doctor."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import Connection

from app.base.database import address as encryption
from app.base.database.address import DatabaseUnreachableError, Encryption, get_encryption, parse_address, reach
from app.base.database.engine import make_engine
from app.base.health_checks import check_encryption
from app.base.postgres.account import server_account
from tests.kit.postgres_fixture import folder_in_memory, reachable_folder
from tests.kit.tcp_servers import SETTINGS, Server, make_primary, run, served

# Debian's and Red Hat's; the embedded programs are built without TLS.
FOLDERS = sorted([*Path("/usr/lib/postgresql").glob("*/bin"), *Path("/usr").glob("pgsql-*/bin")])
with_tls = pytest.mark.skipif(not FOLDERS, reason="no PostgreSQL with TLS is installed on this machine")


def certificate(place: Path, name: str, *options: str) -> None:
    """Make a key and a certificate, signed by itself unless the options say otherwise."""
    made = ("-keyout", place / f"{name}.key", "-out", place / f"{name}.pem")
    command = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}", *made)
    subprocess.run([*map(str, command), *options], check=True, capture_output=True)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server that refuses connections without TLS; `ca.pem` signed its certificate, `other.pem` did not."""
    with reachable_folder(folder_in_memory()) as place:
        for name in ("ca", "other"):
            certificate(place, name)
        signed = ("-CA", str(place / "ca.pem"), "-CAkey", str(place / "ca.key"))
        certificate(place, "server", *signed, "-addext", "subjectAltName=IP:127.0.0.1")
        folder = make_primary(place, FOLDERS[-1])
        (folder / "pg_hba.conf").write_text("hostssl all all 127.0.0.1/32 scram-sha-256\n")
        account = server_account(place)
        for kind in ("pem", "key"):
            (place / f"server.{kind}").chmod(0o644)
            run(account, "/bin/cp", place / f"server.{kind}", folder / f"server.{kind}")
        tls = ("ssl=on", f"ssl_cert_file={folder}/server.pem", f"ssl_key_file={folder}/server.key")
        with served(place, folder, FOLDERS[-1], (*SETTINGS, f"unix_socket_directories={place}", *tls)) as running:
            yield running


@contextmanager
def connected(url: str) -> Iterator[Connection]:
    engine = make_engine(parse_address(url), n_connections=1)
    try:
        reach(engine)
        with engine.begin() as db:
            yield db
    finally:
        engine.dispose()


@with_tls
def test_certificate_of_the_server_is_checked(server: Server) -> None:
    place = server.folder.parent
    with connected(f"{server.url}?sslmode=verify-full&sslrootcert={place}/ca.pem") as db:
        found = get_encryption(db)
    assert found.is_checked
    assert (found.tls_version or "").startswith("TLSv1.")
    wrong = f"{server.url}?sslmode=verify-full&sslrootcert={place}/other.pem"
    with pytest.raises(DatabaseUnreachableError, match="certificate verify failed"), connected(wrong):
        pass


@with_tls
def test_certificate_for_another_name_is_refused(server: Server) -> None:
    place = server.folder.parent
    url = server.url.replace("127.0.0.1", "localhost") + f"?sslmode=verify-full&sslrootcert={place}/ca.pem"
    with pytest.raises(DatabaseUnreachableError, match="localhost"), connected(url):
        pass


@with_tls
def test_server_that_demands_tls_is_not_asked_without(server: Server) -> None:
    with pytest.raises(psycopg.OperationalError, match="no encryption"):
        psycopg.connect(f"{server.url}?sslmode=disable")


@with_tls
def test_certificate_that_is_not_checked_is_known(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encryption, "_is_here", lambda *_: False)
    with connected(f"{server.url}?sslmode=require") as db:
        finding = check_encryption(db)
    assert finding.state == "warning"
    assert "is not checked" in finding.found


def test_embedded_database_is_on_this_machine(db: Connection) -> None:
    assert get_encryption(db).is_on_this_machine
    assert check_encryption(db).state == "ok"


@pytest.mark.parametrize(
    ("found", "state", "words"),
    [
        (Encryption("db", is_on_this_machine=False, tls_version=None, is_checked=True), "warning", "not encrypted"),
        (Encryption("db", is_on_this_machine=False, tls_version="TLSv1.3", is_checked=False), "warning", "not checked"),
        (Encryption("db", is_on_this_machine=False, tls_version="TLSv1.3", is_checked=True), "ok", "is checked"),
    ],
)
def test_doctor_warns_about_unprotected_connection(
    db: Connection, monkeypatch: pytest.MonkeyPatch, found: Encryption, state: str, words: str
) -> None:
    monkeypatch.setattr("app.base.health_checks.get_encryption", lambda _: found)
    finding = check_encryption(db)
    assert finding.state == state
    assert words in finding.found
    assert bool(finding.what_to_do) == (state == "warning")
