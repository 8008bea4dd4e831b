"""Reports of a few parts, where tests do not look at the others."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from app.analysis.sections import all_sections


@contextmanager
def only_parts(*names: str) -> Iterator[None]:
    """Compute only these parts of a report. A name that is not, or no longer, one of its parts is an error."""
    parts = {part.__name__: part for part in all_sections._PARTS}
    assert {*names} <= {*parts}, f"not parts of a report: {sorted({*names} - {*parts})}; these are: {sorted(parts)}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(all_sections, "_PARTS", tuple(parts[name] for name in names))
        yield
