"""A module's name tells it from the modules of the rooms beside its own."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

APP = Path(__file__).resolve().parents[2] / "app"


def test_sibling_rooms_share_no_module_name() -> None:
    """Search results and tracebacks show little more than the file's name."""
    homes = defaultdict(list)
    for module in APP.rglob("*.py"):
        if module.stem != "__init__" and module.parent != APP:
            homes[module.parent.parent, module.stem].append(module.relative_to(APP).as_posix())
    assert {name: paths for (_, name), paths in homes.items() if len(paths) > 1} == {}
