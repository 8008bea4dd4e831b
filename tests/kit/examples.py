"""The number of random examples of a property: few in the gate, where they are the same each time, many in explore."""

import os

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "gate")
GATE, EXPLORE = 100, 1000


def examples(in_gate: int) -> int:
    """The number of examples of a property that costs more or less than others: `make explore` keeps the proportion."""
    return in_gate if PROFILE == "gate" else in_gate * EXPLORE // GATE
