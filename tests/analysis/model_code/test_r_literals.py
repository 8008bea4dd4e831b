"""Texts in scripts for R, as R reads them."""

import shutil
import subprocess
from pathlib import Path

import pytest

from app.analysis.model_code.r_literals import literal, vector

TEXTS = (
    'it\'s "quoted" and `so`',
    "a\\b \\n \\u0041",
    "two\nlines\r\n\tand a tab",
    "".join(map(chr, range(1, 32))) + "\x7f",
    "größer, 质量, جيد, 👍🏽, \u2028",
    "two  spaces ",
    "",
)


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_r_reads_each_text_as_it_is(tmp_path: Path) -> None:
    script = (
        f'for (words in {vector(TEXTS)}) cat(utf8ToInt(enc2utf8(words)), "\\n")\nstopifnot({literal("é")} == "\\u00e9")'
    )
    (tmp_path / "texts.R").write_text(script, encoding="utf-8")
    done = subprocess.run(
        ["Rscript", "--encoding=UTF-8", "texts.R"],  # noqa: S607 - R, wherever it is
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ["".join(chr(int(code)) for code in line.split()) for line in done.stdout.splitlines()] == [*TEXTS]
