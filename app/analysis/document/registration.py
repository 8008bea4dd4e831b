"""A registration: the protocol and the plan as they were at a time, with a hash over all of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from app import __version__
from app.protocol.study import Protocol

if TYPE_CHECKING:
    from app.analysis.planning.plan import Plan, PlanRow  # numpy and pandas, which naming a report needs not


@dataclass(frozen=True, slots=True)
class Registration:
    """What was registered. `registered_at` is ISO 8601 in UTC; `plan` are rows of a plan as plain JSON types, `assumed`
    what they were simulated with.

    `no_plan` says why there is none; `version` is that of the protocol, None for a study folder; `n_ratings` is how
    many answers existed, `n_simulated` how many of them were simulated. `judges` are the model judges, each with its
    name and its attributes, as the model, its settings and hashes of its prompts; `judge_rule` is when one is said to
    pass. `left_out` counts the answers that were left out already, by the reason. `sha256` is over all other fields.
    """

    study: str
    version: int | None
    registered_at: str
    protocol: dict[str, Any]
    n_items: int
    n_ratings: int
    plan: tuple[dict[str, Any], ...] = ()
    assumed: dict[str, Any] = field(default_factory=dict)
    no_plan: str = ""
    judges: tuple[dict[str, str], ...] = ()
    judge_rule: str = ""
    n_simulated: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    software: str = f"Attune {__version__}"
    sha256: str = ""

    def as_protocol(self) -> Protocol:
        """The protocol that was registered.

        Raises:
            RegistrationError: this version of Attune cannot read it.
        """
        try:
            return Protocol.model_validate(self.protocol)
        except ValidationError as error:
            raise RegistrationError("The registered protocol cannot be read by this version of Attune.") from error


class RegistrationError(ValueError):
    """A registration that was changed or cannot be read; the message says it in words."""


def hashed(registration: Registration) -> Registration:
    """The registration with its hash."""
    return replace(registration, sha256=hash_of(registration))


def hash_of(registration: Registration) -> str:
    """SHA-256 over all fields but the hash itself, and those of judges, simulated answers and answers left out if there
    are none, as JSON with sorted keys.
    """
    left_out = {"sha256"} if registration.judges else {"sha256", "judges", "judge_rule"}
    left_out |= set() if registration.n_simulated else {"n_simulated"}
    left_out |= set() if registration.left_out else {"left_out"}
    fields = {name: value for name, value in asdict(registration).items() if name not in left_out}
    return hashlib.sha256(json.dumps(fields, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def registration_json(registration: Registration) -> str:
    """The registration as JSON."""
    return json.dumps(asdict(registration), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def read_registration(text: str) -> Registration:
    """Read what `registration_json` wrote.

    Raises:
        RegistrationError: it is something else, or it was changed since.
    """
    try:
        fields = json.loads(text)
        found = Registration(**fields | {"plan": tuple(fields["plan"]), "judges": tuple(fields.get("judges", ()))})
        is_same = hash_of(found) == found.sha256
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise RegistrationError("The file is not a preregistration that Attune wrote.") from error
    if not is_same:
        raise RegistrationError("The preregistration was changed after it was registered: its hash does not match.")
    return found


def assumed_record(plan: Plan) -> dict[str, Any]:
    """What a plan was simulated with, as plain JSON types."""
    own = asdict(plan.assumed)
    return {**own.pop("sds"), **own, "attrition": plan.attrition, "n_tests": plan.n_tests, "seed": plan.seed}


def plan_records(rows: Sequence[PlanRow]) -> tuple[dict[str, Any], ...]:
    """Rows of a plan as plain JSON types."""
    return tuple(asdict(row) for row in rows)
