"""Files that appear only once all are complete: in a new folder, or in one that exists."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from app.base.problem import FolderExistsError


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Yield an empty folder that becomes `path` at the end; after an error nothing of it is left.

    An empty folder that exists is filled, not replaced: it may be a mounted disk, or its parent may be read-only.

    Raises:
        FolderExistsError: the folder is not empty.
        OSError: it cannot be written, such as on a full disk; the error names `path`.
    """
    if path.exists():
        if not path.is_dir() or any(path.iterdir()):
            raise FolderExistsError(f"{path} is not an empty folder. Name a new one: nothing is overwritten.")
        with new_files(path) as half:
            yield half
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with _half(path, path.parent) as half:
        yield half
        half.replace(path)


@contextmanager
def new_files(folder: Path) -> Iterator[Path]:
    """Yield an empty folder whose files are moved into `folder` at the end, over those of the same names.

    Raises:
        OSError: as for `new_folder`.
    """
    with _half(folder, folder) as half:
        yield half
        for part in sorted(half.iterdir()):
            part.replace(folder / part.name)


@contextmanager
def _half(path: Path, place: Path) -> Iterator[Path]:
    prefix = f".{path.name}-"
    try:
        with TemporaryDirectory(dir=place, prefix=prefix) as folder:
            # Unlike the temporary folder, it may be read by others, if the user's settings say so.
            half = Path(folder) / "half"
            half.mkdir()
            yield half
    except OSError as error:
        if error.strerror and (error.filename is None or str(error.filename).startswith(str(place / prefix))):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
