"""Reports of the parts that a module looks at."""

from collections.abc import Iterator

import pytest

from tests.kit.report_parts import only_parts


@pytest.fixture(scope="module", autouse=True)
def parts_of_module(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compute only the parts of a report that a module names in PARTS; without the name, all, in half a second each."""
    names = getattr(request.module, "PARTS", None)
    if names is None:
        yield
    else:
        with only_parts(*names):
            yield
