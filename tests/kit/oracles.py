"""Known answers from R and publications, which lie beside the checkout."""

from collections.abc import Callable
from typing import Any

# Reads a reference result by its name; `source` in it says who computed or published it.
Oracle = Callable[[str], dict[str, Any]]
