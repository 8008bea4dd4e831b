"""The first import of the statistics does without the garbage collector and without modules that nobody uses."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

from app.analysis.first_import import first_import

STUDY = """
import gc, sys
from app.analysis import _report_of
_report_of()
assert gc.isenabled()
assert "scipy.special" in sys.modules
assert "numpy.f2py.crackfortran" not in sys.modules
import numpy.f2py
assert numpy.f2py.get_include()
import numpy.f2py.crackfortran
"""


def test_fortran_tools_of_numpy_are_loaded_on_first_use_only() -> None:
    subprocess.run([sys.executable, "-c", STUDY], check=True)


def test_garbage_collector_runs_again_after_a_failed_import() -> None:
    with pytest.raises(ImportError), first_import():
        raise ImportError
    assert gc.isenabled()


def test_garbage_collector_does_not_run_during_the_import() -> None:
    with first_import():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_disabled_garbage_collector_stays_disabled() -> None:
    gc.disable()
    try:
        with first_import():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
