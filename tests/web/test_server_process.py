"""What a server process does before it serves; the effects are measured by `benchmarks.load`."""

import platform

from app.main import share_arenas


def test_threads_share_arenas_where_the_c_library_can() -> None:
    assert share_arenas() == (platform.libc_ver()[0] == "glibc")
