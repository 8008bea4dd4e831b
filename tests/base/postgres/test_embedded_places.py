"""The location of the embedded database: long paths, folders of others, files of another version."""

import hashlib
import os
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest

from app.base.postgres import EmbeddedError, EmbeddedPostgres, binaries, sockets
from app.base.postgres.account import server_account
from app.base.postgres.binaries import WHEEL
from tests.kit.embedded_processes import ask, keepers, kill_everything
from tests.kit.waiting import eventually


def long_folder(data_dir: Path) -> Path:
    return data_dir / ("long " * 24).strip() / "x"


def state(folder: Path) -> dict[str, tuple[int, int, int, str]]:
    """Owner, mode, time and content of everything in a folder."""
    found = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        entry = path.lstat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        found[str(path)] = (entry.st_uid, entry.st_mode, entry.st_mtime_ns, content)
    return found


def socket_of(server: EmbeddedPostgres) -> Path:
    found = ask(server.url(), "SELECT trim(both '\"' from current_setting('unix_socket_directories'))")
    return Path(str(found))


@pytest.fixture
def other_major() -> Path:
    """Programs of another major version of PostgreSQL, if the wheel contains them."""
    programs = binaries.binaries().parents[1] / "pginstall" / "bin"
    if not (programs / "initdb").exists():
        pytest.skip(f"{WHEEL} carries one version only")
    return programs


@pytest.mark.usefixtures("copied_cluster")
def test_path_too_long_for_socket_uses_short_private_folder(data_dir: Path) -> None:
    server = EmbeddedPostgres(long_folder(data_dir), durable=False)
    url = server.start()
    folder = socket_of(server)
    found = folder.lstat()
    assert stat.S_IMODE(found.st_mode) == 0o700
    assert found.st_uid == server_account(server._cluster).uid
    assert folder.parent == Path(tempfile.gettempdir())
    again = EmbeddedPostgres(long_folder(data_dir), durable=False)
    assert again.is_running()
    assert again.start() == url
    again.stop()
    server.stop()
    assert not folder.exists()
    assert not again.is_running()


@pytest.fixture
def made_long(data_dir: Path, made_once: Path) -> Path:
    """The data folder, with an initialized database in its long folder."""
    long_folder(data_dir).mkdir(parents=True)
    subprocess.run(["/bin/cp", "-a", str(made_once / "postgres"), str(long_folder(data_dir))], check=True)
    return data_dir


@pytest.mark.slow
def test_short_folder_is_reused_after_crash(made_long: Path) -> None:
    data_dir = made_long
    server = EmbeddedPostgres(long_folder(data_dir), durable=False)
    server.start()
    folder = socket_of(server)
    # Killed while it still has a user; otherwise the keeper might clean up first.
    kill_everything(long_folder(data_dir))
    server._part()
    server.start()
    assert socket_of(server) == folder
    server.stop()
    assert not folder.exists()


@pytest.mark.slow
@pytest.mark.parametrize("trap", ["open to all", "a link"])
def test_short_folder_that_is_not_private_is_not_used(made_long: Path, tmp_path: Path, trap: str) -> None:
    data_dir = made_long
    server = EmbeddedPostgres(long_folder(data_dir), durable=False)
    server.start()
    server.stop()
    squatted = tmp_path / "squatted"
    if trap == "a link":
        (tmp_path / "target").mkdir(mode=0o700)
        squatted.symlink_to(tmp_path / "target")
    else:
        squatted.mkdir()
        squatted.chmod(0o777)
    (long_folder(data_dir) / "postgres" / sockets.RECORD).write_text(str(squatted))
    assert not server.is_running()
    server.start()
    assert socket_of(server) != squatted
    assert list(squatted.iterdir()) == []
    server.stop()


@pytest.mark.slow
def test_socket_needs_a_folder_others_cannot_replace(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    assert not sockets._cannot_be_replaced(tmp_path)
    tmp_path.chmod(0o1777)
    assert sockets._cannot_be_replaced(tmp_path)


def test_socket_folder_open_to_others_is_rejected(made_dir: Path) -> None:
    server = EmbeddedPostgres(made_dir, durable=False)
    server.start()
    server.stop()
    (made_dir / "postgres" / "run").chmod(0o777)
    with pytest.raises(EmbeddedError, match="not private"):
        server.start()
    eventually(lambda: not keepers(made_dir))


@pytest.mark.slow
def test_other_major_version_is_rejected_without_changes(data_dir: Path, other_major: Path) -> None:
    home = data_dir / "postgres"
    account = server_account(home)
    home.mkdir(mode=0o700)
    os.chown(home, account.uid, account.gid)
    made = account.run(other_major / "initdb", "-D", home / "pgdata", "-U", "attune", "--no-sync", "--locale=C")
    assert made.returncode == 0, made.stdout
    version = (home / "pgdata" / "PG_VERSION").read_text().strip()
    before = state(data_dir)
    with pytest.raises(EmbeddedError) as refusal:
        EmbeddedPostgres(data_dir).start()
    assert state(data_dir) == before
    assert f"made by PostgreSQL {version} and this program carries PostgreSQL 18" in str(refusal.value)
    assert len(str(refusal.value).splitlines()) == 1


@pytest.mark.slow
def test_foreign_folder_is_rejected_without_changes(data_dir: Path) -> None:
    taken = data_dir / "postgres" / "pgdata"
    taken.mkdir(parents=True)
    (taken / "thesis.txt").write_text("not a database")
    before = state(data_dir)
    with pytest.raises(EmbeddedError, match="holds no database"):
        EmbeddedPostgres(data_dir).start()
    assert state(data_dir) == before


@pytest.mark.slow
def test_file_in_place_of_folder_is_rejected(data_dir: Path) -> None:
    (data_dir / "file").write_text("")
    with pytest.raises(EmbeddedError, match="cannot be used for the database"):
        EmbeddedPostgres(data_dir / "file").start()


@pytest.mark.usefixtures("copied_cluster")
def test_other_files_in_folder_are_left_unchanged(data_dir: Path) -> None:
    (data_dir / "notes.txt").write_text("mine")
    (data_dir / "new-plan").mkdir()
    server = EmbeddedPostgres(data_dir, durable=False)
    server.start()
    server.stop()
    assert {path.name for path in data_dir.iterdir()} == {"notes.txt", "new-plan", "postgres"}


@pytest.mark.slow
@pytest.mark.usefixtures("copied_cluster")
def test_relative_folder_is_resolved_at_start(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(data_dir)
    server = EmbeddedPostgres(Path("here"), durable=False)
    server.start()
    monkeypatch.chdir("/")
    assert server.is_running()
    server.stop()
    assert (data_dir / "here" / "postgres" / "pgdata" / "PG_VERSION").exists()


def test_missing_wheel_is_reported_in_one_sentence(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "find_spec", lambda _: None)
    with pytest.raises(EmbeddedError, match="PostgreSQL 18 is not installed"):
        EmbeddedPostgres(data_dir).start()


@pytest.mark.slow
def test_finding_binaries_does_not_import_the_wheel() -> None:
    import sys

    code = "import sys, app.base.postgres.binaries as found; found.binaries(); sys.exit(sys.argv[1] in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, WHEEL], check=False, cwd=Path(__file__).resolve().parents[3])
    assert done.returncode == 0
