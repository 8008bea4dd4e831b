"""A folder that appears only once it is complete."""

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
    is_there = path.exists()
    if is_there and (not path.is_dir() or any(path.iterdir())):
        raise FolderExistsError(f"{path} already exists and is not empty. Nothing was written.")
    path.parent.mkdir(parents=True, exist_ok=True)
    place, prefix = path if is_there else path.parent, f".{path.name}-"
    try:
        with TemporaryDirectory(dir=place, prefix=prefix) as folder:
            # Unlike the temporary folder, it may be read by others, if the user's settings say so.
            half = Path(folder) / "half"
            half.mkdir()
            yield half
            if is_there:
                for part in half.iterdir():
                    part.replace(path / part.name)
            else:
                half.replace(path)
    except OSError as error:
        if error.strerror and (error.filename is None or str(error.filename).startswith(str(place / prefix))):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
