"""The flow of participants as counts; without pandas, because every process that shows a report imports it."""

from dataclasses import dataclass

from app.protocol.cells import Cell, cell_of
from app.protocol.study import Protocol

FINISHED = "finished"
# Raters who were assigned to an arm and did not reach the end; those who are still rating may.
LEFT = ("expired", "withdrawn", "failed_checks")


@dataclass(frozen=True, slots=True)
class Arm:
    """The raters assigned to one arm, as written in files: how many are in which state.

    `excluded` counts raters whose answers a lead left out, by the reason; `n_analyzed` raters have answers
    that count, of whom `n_partial` did not finish.
    """

    name: str
    states: dict[str, int]
    excluded: dict[str, int]
    n_analyzed: int
    n_partial: int

    @property
    def n_assigned(self) -> int:
        """Everyone of the arm."""
        return sum(self.states.values())

    @property
    def n_finished(self) -> int:
        """Those who reached the end."""
        return self.states.get(FINISHED, 0)

    @property
    def n_left(self) -> int:
        """Those who will not reach the end."""
        return sum(self.states.get(state, 0) for state in LEFT)

    @property
    def n_ended(self) -> int:
        """Those of whom it is known whether they reach the end."""
        return self.n_finished + self.n_left


@dataclass(frozen=True, slots=True)
class Flow:
    """`before` counts people who were assigned to no arm, by what became of them."""

    before: dict[str, int]
    arms: tuple[Arm, ...]

    @property
    def n_arrived(self) -> int:
        """Everyone."""
        return sum(self.before.values()) + self.n_assigned

    @property
    def n_assigned(self) -> int:
        """Everyone who was assigned to an arm."""
        return sum(arm.n_assigned for arm in self.arms)


def is_by_condition(protocol: Protocol) -> bool:
    """Whether raters are assigned to conditions."""
    return any(factor.assign == "between" for factor in protocol.conditions.values())


def arm_of(condition: str, protocol: Protocol) -> str:
    """The part of a condition that varies between raters."""
    between = {name for name, factor in protocol.conditions.items() if factor.assign == "between"}
    return Cell(tuple(part for part in cell_of(condition).levels if part[0] in between)).text
