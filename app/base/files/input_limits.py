"""Size limits that are checked before input is parsed, because a small file can contain a huge table."""

import zipfile
from collections.abc import Sequence

from app.base.problems import Problems

MEBIBYTE = 2**20
# A protocol has a few hundred values; the largest known ones have a few thousand.
MAX_YAML_BYTES = 2 * MEBIBYTE
MAX_YAML_NODES = 20_000
MAX_ZIP_MEMBERS = 10_000
# Smaller files may have any compression ratio.
_SMALL_MEMBER = 4 * MEBIBYTE


def check_columns(file: str, n_columns: int, problems: Problems) -> bool:
    """Return whether a table may have this many columns; otherwise add a problem."""
    limit = problems.limits.columns
    if n_columns > limit:
        problems.add(file, 1, None, f"{n_columns:,} columns", f"at most {limit:,} columns")
    return n_columns <= limit


def check_rows(file: str, n_rows: int, n_columns: int, problems: Problems) -> bool:
    """Return whether a table with this many columns may have this many rows; otherwise add a problem."""
    is_small = n_rows <= problems.limits.max_rows(n_columns)
    if not is_small:
        found = f"more than {problems.limits.cells:,} cells ({n_columns:,} columns)"
        problems.add(file, n_rows, None, found, f"at most {problems.limits.cells:,} cells in one file")
    return is_small


def check_archive(file: str, members: Sequence[zipfile.ZipInfo], most_mb: int, problems: Problems) -> bool:
    """Return whether these members of a zip file may be unpacked, judged by its directory; otherwise add a problem.

    zipfile never unpacks more of a member than the directory states, so these sizes are reliable.
    """
    if len(members) > MAX_ZIP_MEMBERS:
        problems.add(file, None, None, f"{len(members):,} files in one zip", f"at most {MAX_ZIP_MEMBERS:,} files")
        return False
    n_bytes = sum(member.file_size for member in members)
    if n_bytes > most_mb * MEBIBYTE:
        found = f"{n_bytes / MEBIBYTE:,.1f} MiB unpacked"
        problems.add(file, None, None, found, f"at most {most_mb} MiB unpacked")
        return False
    for member in members:
        if member.file_size > max(_SMALL_MEMBER, problems.limits.ratio * member.compress_size):
            times = member.file_size // max(1, member.compress_size)
            found = f"{member.filename}, {times:,} times larger than its compressed form"
            problems.add(file, None, None, found, f"at most {problems.limits.ratio} times larger")
            return False
    return True
