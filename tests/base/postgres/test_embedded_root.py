"""Started as root: the server runs as an unprivileged account, and nothing else on the machine is changed."""

import os
import pwd
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from app.base.postgres import EmbeddedError, EmbeddedPostgres, account, binaries
from app.base.postgres import data_dirs as moved_data
from app.base.postgres.account import server_account
from app.base.postgres.binaries import WHEEL
from tests.kit.embedded_processes import CHECKOUT, HOLD, IS_ROOT, ask, finish, program, server_processes

pytestmark = [
    pytest.mark.skipif(not IS_ROOT, reason="only root can show what happens as root"),
    pytest.mark.usefixtures("copied_cluster"),
]


@pytest.fixture
def closed(data_dir: Path) -> Path:
    """A non-empty folder that only root can enter, like root's home."""
    folder = data_dir / "home of root"
    folder.mkdir(mode=0o700)
    (folder / "letter.txt").write_text("private")
    return folder


@pytest.fixture
def places(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The location of files that cannot be kept in the folder that root named."""
    folder = data_dir / "var" / "elsewhere"
    monkeypatch.setattr(moved_data, "PLACES", folder)
    return folder


def rights(folder: Path) -> list[tuple[str, int, int, int]]:
    """Path, mode, owner and group of a folder and all its parents."""
    found = [(place, place.stat()) for place in (folder, *folder.parents)]
    return [(str(place), entry.st_mode, entry.st_uid, entry.st_gid) for place, entry in found]


def test_server_never_runs_as_root(made_dir: Path) -> None:
    server = EmbeddedPostgres(made_dir, durable=False)
    server.start()
    accounts = {pwd.getpwuid(process.uid).pw_name for process in server_processes(made_dir)}
    server.stop()
    assert len(accounts) == 1
    assert accounts <= {"postgres", "nobody"}


def test_server_account_owns_only_its_files(made_dir: Path) -> None:
    server = EmbeddedPostgres(made_dir, durable=False)
    server.start()
    uid = server_account(server._cluster).uid
    server.stop()
    owners = {path.name: path.stat().st_uid for path in (made_dir / "postgres").iterdir()}
    assert {name for name, owner in owners.items() if owner == uid} == {"pgdata", "run"}
    assert set(owners.values()) == {uid, 0}
    assert (made_dir / "postgres" / "password").stat().st_uid == 0


@pytest.mark.slow
def test_existing_folders_keep_their_permissions(data_dir: Path) -> None:
    (data_dir / "other").mkdir(mode=0o750)
    before = [*rights(data_dir), *rights(data_dir / "other")]
    server = EmbeddedPostgres(data_dir / "other" / ".." / "new" / "newer", durable=False)
    server.start()
    server.stop()
    assert [*rights(data_dir), *rights(data_dir / "other")] == before
    assert stat.S_IMODE((data_dir / "new").stat().st_mode) == 0o711


@pytest.mark.slow
def test_empty_private_folder_is_opened_to_server_account_only(data_dir: Path) -> None:
    folder = data_dir / "as mktemp makes it"
    folder.mkdir(mode=0o700)
    server = EmbeddedPostgres(folder, durable=False)
    assert ask(server.start(), "SELECT 1") == 1
    gid = server_account(server._cluster).gid
    server.stop()
    found = folder.stat()
    assert (stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid) == (0o710, 0, gid)
    assert ask(server.start(), "SELECT 1") == 1
    server.stop()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["attune", ".", "letters/of/root"])
def test_unreachable_folder_keeps_permissions_and_data_elsewhere(closed: Path, name: str, places: Path) -> None:
    before = rights(closed)
    server = EmbeddedPostgres(closed / name, durable=False)
    ask(server.start(), "SELECT lo_create(4242)")
    server.stop()
    assert rights(closed) == before
    again = EmbeddedPostgres(closed / name, durable=False)
    assert ask(again.start(), "SELECT count(*) FROM pg_largeobject_metadata") == 1
    assert again.is_running()
    again.stop()
    (place,) = places.iterdir()
    assert (closed / name / "postgres.elsewhere").read_text() == f"{place}\n"
    assert not (closed / name / "postgres" / "pgdata").exists()


@pytest.mark.slow
def test_two_unreachable_folders_have_separate_databases(closed: Path, places: Path) -> None:
    for name in ("one", "two"):
        server = EmbeddedPostgres(closed / name, durable=False)
        ask(server.start(), "SELECT lo_create(4242)")
        server.stop()
    assert len(list(places.iterdir())) == 2


@pytest.mark.slow
def test_missing_external_folder_is_not_replaced(closed: Path, places: Path) -> None:
    server = EmbeddedPostgres(closed, durable=False)
    server.start()
    server.stop()
    (place,) = places.iterdir()
    shutil.rmtree(place)
    with pytest.raises(EmbeddedError, match="which is gone: restore a backup, or remove"):
        server.start()


@pytest.mark.slow
def test_root_ignores_pointer_written_by_another_user(data_dir: Path, places: Path) -> None:
    pointer = data_dir / "postgres.elsewhere"
    pointer.write_text(f"{places}/stolen\n")
    os.chown(pointer, server_account(data_dir).uid, -1)
    with pytest.raises(EmbeddedError, match="is not one that Attune wrote"):
        EmbeddedPostgres(data_dir, durable=False).start()
    pointer.unlink()
    pointer.write_text("/etc\n")
    with pytest.raises(EmbeddedError, match="is not one that Attune wrote"):
        EmbeddedPostgres(data_dir, durable=False).start()


@pytest.mark.slow
def test_server_runs_as_nobody_without_postgres_account(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account, "UNPRIVILEGED", ("no-such-account", "nobody"))
    server = EmbeddedPostgres(data_dir, durable=False)
    server.start()
    accounts = {pwd.getpwuid(process.uid).pw_name for process in server_processes(data_dir)}
    server.stop()
    monkeypatch.undo()
    server.start()
    later = {pwd.getpwuid(process.uid).pw_name for process in server_processes(data_dir)}
    server.stop()
    assert accounts == later == {"nobody"}


@pytest.mark.slow
def test_missing_unprivileged_account_is_explained(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account, "UNPRIVILEGED", ("no-such-account",))
    with pytest.raises(EmbeddedError, match="start Attune as a normal user, or set DATABASE_URL"):
        EmbeddedPostgres(data_dir).start()


@pytest.mark.slow
def test_binaries_in_unreachable_folder_run_from_a_copy(
    data_dir: Path, closed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = binaries.binaries().parents[2]
    shutil.copytree(site / WHEEL / "pginstall18", closed / WHEEL / "pginstall18")
    shutil.copytree(site / f"{WHEEL}.libs", closed / f"{WHEEL}.libs")
    monkeypatch.setattr(binaries, "binaries", lambda: closed / WHEEL / "pginstall18" / "bin")
    server = EmbeddedPostgres(data_dir, durable=False)
    before = rights(closed)
    assert ask(server.start(), "SELECT 1") == 1
    running = {process.command[0] for process in server_processes(data_dir) if process.command[0].endswith("/postgres")}
    server.stop()
    assert rights(closed) == before
    assert all(program.startswith(str(data_dir / "postgres" / "program-")) for program in running)
    assert running


@pytest.mark.slow
def test_root_without_setuid_capability_is_explained(data_dir: Path) -> None:
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("setpriv is not installed")
    done = subprocess.run(
        [setpriv, "--bounding-set=-setuid,-setgid", sys.executable, "-c", HOLD, str(data_dir)],
        check=False,
        capture_output=True,
        text=True,
        cwd=CHECKOUT,
        stdin=subprocess.DEVNULL,
    )
    assert "start Attune as a normal user, or set DATABASE_URL" in done.stderr.splitlines()[-1]


def test_root_runs_user_database_as_that_user(data_dir: Path) -> None:
    user = pwd.getpwnam("nobody").pw_uid
    os.chown(data_dir, user, -1)
    finish(program(HOLD, data_dir, user=user))
    server = EmbeddedPostgres(data_dir, durable=False)
    for name in ("postgres.log", "users.lock", "start.lock", "keeper.lock"):
        (data_dir / "postgres" / name).unlink()
    server.start()
    assert {process.uid for process in server_processes(data_dir)} == {user}
    server.stop()
    assert {path.lstat().st_uid for path in (data_dir / "postgres").rglob("*")} == {user}
    finish(program(HOLD, data_dir, user=user))


@pytest.mark.slow
def test_user_is_told_that_database_belongs_to_root(made_dir: Path) -> None:
    server = EmbeddedPostgres(made_dir, durable=False)
    server.start()
    other = program(HOLD, made_dir, user=pwd.getpwnam("nobody").pw_uid)
    errors = other.communicate(timeout=60)[1]
    assert server.is_running()
    server.stop()
    assert "belongs to another account: start Attune as that account" in errors.splitlines()[-1]
