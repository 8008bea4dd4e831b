"""Compare current estimates with the stored ones; with `--write`, store the current ones."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from app.analysis import analyze
from tests.analysis.golden import FOLDERS, HERE, differences, keep, kept, numbers_of
from tests.conftest import SHARED
from tests.kit.frames import read_study
from tests.real_data.ayers import write_ayers
from tests.real_data.kumar import write_kumar
from tests.real_data.pandalm import write_pandalm


def main(*, is_writing: bool) -> None:
    """Print the differences by name."""
    with TemporaryDirectory() as scratch:
        folders = {name: HERE / name for name in FOLDERS}
        if SHARED.is_dir():
            converters = {"ayers": write_ayers, "kumar": write_kumar, "pandalm": write_pandalm}
            folders |= {name: write(Path(scratch) / name, SHARED) for name, write in converters.items()}
        for name, folder in folders.items():
            numbers = numbers_of(analyze(*read_study(folder)))
            if is_writing:
                keep(name, numbers)
            lines = [] if is_writing else differences(kept(name), numbers)
            print(f"{name}: {len(numbers)} records, {len(lines)} differ", *lines, sep="\n  ")  # noqa: T201 - a command


main(is_writing="--write" in sys.argv)
