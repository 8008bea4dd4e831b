"""The container image, tested without a container engine: the Dockerfile's steps, environment and command.

The conditions are those of the container: an unprivileged account, a read-only tree, and an external PostgreSQL that
requires a password.
"""

import json
import os
import pwd
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import requires
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

import psycopg
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from ruamel.yaml import YAML

from app.base.postgres import EmbeddedPostgres
from app.base.postgres.account import server_account
from app.base.postgres.binaries import binaries, server_binaries
from tests.kit.embedded_processes import IS_ROOT, PACKAGES, keepers, python_of
from tests.kit.postgres_fixture import folder_in_memory, reachable_folder
from tests.kit.tcp_servers import free_port
from tests.kit.waiting import eventually

ROOT = Path(__file__).resolve().parents[2]
TAG_AND_DIGEST = re.compile(r"[a-z]+:\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}")


def instructions() -> list[tuple[str, str]]:
    """Return the Dockerfile's instructions with their arguments."""
    lines = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text()).splitlines()
    return [(line.split()[0], line.partition(" ")[2]) for line in lines if line and not line.startswith("#")]


def the(name: str) -> str:
    """Return the arguments of the last instruction with this name."""
    return [rest for found, rest in instructions() if found == name][-1]


def compose() -> dict[str, Any]:
    """Return the compose file as data."""
    found: dict[str, Any] = YAML(typ="safe").load((ROOT / "docker-compose.yml").read_text())
    return found


def test_base_images_are_pinned_by_tag_and_digest() -> None:
    assert TAG_AND_DIGEST.fullmatch(the("ARG").partition("=")[2])
    assert {rest.split()[0] for name, rest in instructions() if name == "FROM"} == {"${PYTHON_IMAGE}"}
    image = re.fullmatch(r"\$\{POSTGRES_IMAGE:-(.*)\}", compose()["services"]["db"]["image"])
    assert image
    assert TAG_AND_DIGEST.fullmatch(image[1])


def test_containers_are_read_only_and_hold_no_password_but_their_own() -> None:
    services = compose()["services"]
    for name in ("web", "backup"):
        service = services[name]
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["volumes"] == ["files:/var/lib/attune"]
        assert service["environment"]["DATABASE_URL"] == "postgresql://attune@db:5432/attune"
        assert service["environment"]["DATABASE_PASSWORD_FILE"] == "/run/secrets/attune_password"
        assert service["secrets"] == ["attune_password"]
    assert services["db"]["environment"]["POSTGRES_PASSWORD_FILE"] == "/run/secrets/postgres_password"
    for service in services.values():
        assert [name for name in service["environment"] if "PASSWORD" in name and not name.endswith("_FILE")] == []
    assert the("USER") == "attune"


def test_containers_cannot_take_all_memory_processes_or_disk_and_are_given_time_to_stop() -> None:
    for name, service in compose()["services"].items():
        assert re.fullmatch(r"(\$\{[A-Z_]+:-)?\d+g\}?", service["mem_limit"]), name
        assert 0 < service["pids_limit"] <= 1000, name
        assert set(service["logging"]["options"]) == {"max-size", "max-file"}, name
        assert service["logging"]["driver"] == "local", name
        assert re.fullmatch(r"\d+[sm]", service["stop_grace_period"]), name
        for mounted in service.get("tmpfs", []):
            assert re.fullmatch(r"/tmp:size=\d+[mg],mode=1777", mounted), name  # noqa: S108 - inside the container


def test_only_the_application_reaches_the_database() -> None:
    found = compose()
    assert found["networks"]["database"] == {"internal": True}
    assert {name: service["networks"] for name, service in found["services"].items()} == {
        "db": ["database"],
        "web": ["front", "database"],
        "backup": ["database"],
    }
    assert [name for name, service in found["services"].items() if "ports" in service] == ["web"]
    # The documented address of a proxy on this machine is the gateway of the network that it comes through.
    (front,) = found["networks"]["front"]["ipam"]["config"]
    gateway = front["gateway"].removeprefix("${ATTUNE_GATEWAY:-").removesuffix("}")
    assert ip_address(gateway) in ip_network(front["subnet"].removeprefix("${ATTUNE_SUBNET:-").removesuffix("}"))
    assert f"ATTUNE_TRUSTED_PROXIES={gateway}\n" in (ROOT / "docs" / "server.md").read_text()


def test_backups_are_made_again_and_again(tmp_path: Path) -> None:
    for name, line in (
        ("attune", "[ $(grep -c backup log) -ne 2 ]"),
        ("sleep", "[ $(grep -c sleep log) -lt 3 ] || kill $PPID"),
    ):
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\necho "{name} $1" >> log\n{line}\n')
        program.chmod(0o755)
    command = compose()["services"]["backup"]["command"]
    subprocess.run(command, check=False, cwd=tmp_path, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, timeout=30)
    said = (tmp_path / "log").read_text().splitlines()
    assert said[:6] == ["attune backup", "sleep 86400", "attune backup", "sleep 3600", "attune backup", "sleep 86400"]


def needed_by(names: Iterable[str]) -> set[str]:
    """The packages that these need, and they themselves; extras are left out."""
    found, todo = set[str](), {canonicalize_name(name) for name in names}
    while todo:
        name = todo.pop()
        found.add(name)
        asked = (Requirement(one) for one in requires(name) or () if "extra ==" not in one)
        named = {canonicalize_name(one.name) for one in asked if one.marker is None or one.marker.evaluate()}
        todo |= named - found
    return found


def test_image_that_runs_has_no_build_tools() -> None:
    (line,) = (rest for name, rest in instructions() if name == "RUN" and rest.startswith("/venv/bin/pip uninstall"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    build = (Requirement(one).name for one in project["dependency-groups"]["build"])
    running = (Requirement(one).name for one in project["project"]["dependencies"])
    assert set(line.split()[3:]) == needed_by(build) - needed_by(running) | {"pip"}
    stages = " ".join(f"{name} {rest}" for name, rest in instructions()).split("FROM ")
    assert "pip uninstall --yes pip" in stages[-1]
    assert " install " not in stages[-1]


def test_compose_file_passes_proxy_settings() -> None:
    web = compose()["services"]["web"]
    passed = {name for name, value in web["environment"].items() if f"${{{name}:-" in str(value)}
    assert {"ATTUNE_PUBLIC_URL", "ATTUNE_ALLOWED_HOSTS", "ATTUNE_TRUSTED_PROXIES"} <= passed
    assert all(port.startswith("127.0.0.1:") for port in web["ports"])
    assert web["depends_on"]["db"]["condition"] == "service_healthy"


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    with reachable_folder(folder_in_memory()) as folder:
        yield folder


@pytest.fixture(scope="module")
def account() -> int | None:
    """Return the user ID that runs the container's processes; None if the tests do not run as root."""
    return pwd.getpwnam("nobody").pw_uid if IS_ROOT else None


@pytest.fixture(scope="module")
def installed(place: Path, account: int | None) -> Path:
    """Return the environment of the image: files copied, built to a wheel, installed offline, made read-only."""
    source, venv = place / "src", place / "venv"
    source.mkdir()
    for names in (rest.split() for name, rest in instructions() if name == "COPY" and not rest.startswith("--")):
        for name in names[:-1]:
            target = source / name if names[-1].startswith(".") else source / names[-1]
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
            copy(ROOT / name, target)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-cache-dir"]
    build = ["wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(place), str(source)]
    subprocess.run([*pip, *build], check=True, capture_output=True)
    (wheel,) = place.glob("attune_studies-*.whl")
    subprocess.run([python_of(account), "-m", "venv", "--without-pip", str(venv)], check=True, capture_output=True)
    install = ["--python", str(venv / "bin" / "python"), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([*pip, *install], check=True, capture_output=True)
    (packages,) = venv.glob("lib/python*/site-packages")
    # The locked packages are those already installed for the tests; the checkout is not on the path.
    others = PACKAGES.split(os.pathsep)[1]
    (packages / "locked.pth").write_text(f"{others}\n")
    for path in [venv, *venv.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & ~0o222 | (0o055 if path.is_dir() else 0o044))
    return venv


@contextmanager
def external_postgres(folder: Path) -> Iterator[tuple[str, str]]:
    """Start a PostgreSQL as Compose does, with its roles; yield the address for the application and the password."""
    made = EmbeddedPostgres(folder, durable=False)
    made.start()
    made.stop()
    eventually(lambda: not keepers(folder))  # a keeper that is still exiting would stop this server too
    home = folder / "postgres"
    port, owner = free_port(), server_account(home / "pgdata")
    programs, data, secret = server_binaries(home, owner), home / "pgdata", folder / "postgres-password"
    for path in data.iterdir():  # the folder stays, because the account of the server owns it
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    secret.write_text("superuser")
    secret.chmod(0o644)
    options: list[str | Path] = ["-U", "postgres", "--pwfile", secret, "-A", "scram-sha-256", "-E", "UTF8", "--no-sync"]
    done = owner.run(programs / "initdb", "-D", data, *options)
    assert done.returncode == 0, done.stdout
    command = [str(programs / "postgres"), "-D", str(data), "-c", f"port={port}"]
    command += ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"]
    password = "the application's own password"
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, **owner.popen_options()) as process:  # type: ignore[call-overload]
        try:
            superuser = f"postgresql://postgres:superuser@127.0.0.1:{port}/postgres"
            eventually(lambda: connects(superuser))
            make_roles(superuser, password, folder)
            yield f"postgresql://attune@127.0.0.1:{port}/attune", password
        finally:
            process.terminate()


def make_roles(superuser: str, password: str, folder: Path) -> None:
    """Run what the image of PostgreSQL runs when its volume is empty, by its own psql."""
    secret, script = folder / "attune-password", folder / "roles.sql"
    secret.write_text(f"{password}\n")
    there = (ROOT / "docker" / "roles.sql").read_text()
    script.write_text(there.replace("/run/secrets/attune_password", str(secret)))
    options = ["-v", "ON_ERROR_STOP=1", "--no-psqlrc", "-f", str(script)]
    subprocess.run([str(binaries() / "psql"), superuser, *options], check=True, capture_output=True)


def connects(address: str) -> bool:
    try:
        psycopg.connect(address).close()
    except psycopg.OperationalError:
        return False
    return True


@pytest.mark.slow
def test_image_serves_as_nobody_from_read_only_tree(place: Path, installed: Path, account: int | None) -> None:
    port, writable = free_port(), place / "attune"
    writable.mkdir()
    secret = place / "password"
    with external_postgres(place / "db") as (url, password):
        secret.write_text(f"{password}\n")
        for path in (writable, secret):
            os.chown(path, account if account is not None else -1, -1)
        environment = dict(part.split("=", 1) for part in the("ENV").split())
        environment |= {"PATH": f"{installed}/bin:/usr/bin:/bin", "ATTUNE_DATA_DIR": str(writable)}
        environment |= {"DATABASE_URL": url, "DATABASE_PASSWORD_FILE": str(secret), "ATTUNE_PUBLIC_URL": ""}
        command = [part.replace("8000", str(port)) for part in json.loads(the("CMD"))]
        command[0] = str(installed / "bin" / command[0])
        health = json.loads(the("HEALTHCHECK").partition("CMD ")[2])
        check = [str(installed / "bin" / health[0]), *(part.replace("8000", str(port)) for part in health[1:])]
        before = sorted(installed.rglob("*"))
        options: dict[str, Any] = {"user": account, "group": account, "extra_groups": None if account is None else []}
        with (place / "log").open("wb") as log:
            process = subprocess.Popen(command, env=environment, cwd="/", stdout=log, stderr=log, **options)
        with process:
            try:
                eventually(lambda: subprocess.run(check, check=False, capture_output=True).returncode == 0, seconds=300)
                with urlopen(f"http://127.0.0.1:{port}/sign-in", timeout=30) as page:
                    assert "<h1" in page.read().decode()
                assert process.poll() is None
                backup = subprocess.run(
                    [command[0], "backup"],
                    check=False,
                    capture_output=True,
                    text=True,
                    env=environment,
                    cwd="/",
                    **options,
                )
                assert "Checked: restored into a scratch database" in backup.stdout + backup.stderr
            finally:
                process.terminate()
        address = url.replace("attune@", f"attune:{quote(password)}@")
        with psycopg.connect(address) as connection:
            row = connection.execute("""
                SELECT rolcreatedb, rolsuper OR rolcreaterole OR rolreplication OR rolbypassrls
                FROM pg_roles WHERE rolname = current_user
            """).fetchone()
            assert row == (True, False)
        said = (place / "log").read_text()
    assert password not in said
    assert "2 processes with 16 threads: up to" in said
    assert sorted(installed.rglob("*")) == before
