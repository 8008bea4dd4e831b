"""Reports of the parts that a module looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.analysis.sections import all_sections

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module", autouse=True)
def only_parts(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compute only the parts of a report that a module names in PARTS; without the name, all, in half a second each."""
    with pytest.MonkeyPatch.context() as patch:
        if names := getattr(request.module, "PARTS", ()):
            patch.setattr(all_sections, "_PARTS", tuple(getattr(all_sections, name) for name in names))
        yield
