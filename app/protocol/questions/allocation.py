"""The kind `allocation`: a total of points that a rater shares among three or more responses of an item."""

from collections.abc import Iterator, Mapping, Sequence
from math import exp, floor
from typing import ClassVar, Literal

from pydantic import Field

from app.base.language.message import Message, message
from app.protocol.questions.display import Display, ReplyField, letter, response_name
from app.protocol.questions.of_set import Misfit, SetQuestion, whole_number
from app.protocol.questions.question import Blank, Form, Given, Measure, SimulatedRater
from app.protocol.questions.scale import Level

# Simulated raters share the points in as many equal portions.
PORTIONS = 20


class AllocationQuestion(SetQuestion):
    """Points shared among the responses that are shown together. Every rater shares the same total."""

    measure: ClassVar[Measure] = "scale"
    has_script: ClassVar[bool] = True
    shares_points: ClassVar[bool] = True
    noun: ClassVar[str] = "an allocation"
    deed: ClassVar[str] = "share points among"
    done: ClassVar[str] = "points are shared among responses"
    lacks: ClassVar[str] = "there are no points"
    type_words: ClassVar[str] = "Points divided among responses"
    type: Literal["allocation"]
    points: int = Field(default=100, ge=2, le=1000)
    """The points that raters share among the responses in an allocation; their sum must be this total."""

    @property
    def values(self) -> tuple[float, ...]:
        """The possible points of one response, ascending."""
        return tuple(float(n) for n in range(self.points + 1))

    @property
    def level(self) -> Level:
        """Points are an interval scale."""
        return "interval"

    @property
    def reversed(self) -> bool:
        """More points are better."""
        return False

    def number_of(self, text: str) -> int | None:
        """As `SetQuestion.number_of`."""
        points = whole_number(text)
        return points if points is not None and 0 <= points <= self.points else None

    def not_a_number(self, n_shown: int) -> Message:  # noqa: ARG002 - as in the base
        """As `SetQuestion.not_a_number`."""
        return message("Give each response a whole number from 0 to %(points)s.", points=self.points)

    def not_given(self) -> Message:
        """As `SetQuestion.not_given`."""
        return message("Give every response its points; 0 is possible.")

    def problem(self, numbers: Sequence[int]) -> Message | None:
        """As `SetQuestion.problem`."""
        if sum(numbers) == self.points:
            return None
        return message(
            "The points must add up to %(points)s. Yours add up to %(sum)s.", points=self.points, sum=sum(numbers)
        )

    def misfit(self, numbers: Sequence[int]) -> Misfit | None:
        """As `SetQuestion.misfit`."""
        if sum(numbers) == self.points:
            return None
        return Misfit(0, f"points that add up to {self.points} over the responses; these add up to {sum(numbers)}")

    def allowed_words(self) -> str:
        """As `AskedQuestion.allowed_words`."""
        total = self.points
        return f"the points of the response, a whole number from 0 to {total}; those of one answer add up to {total}"

    def in_words(self) -> str:
        """As `AskedQuestion.in_words`."""
        return f"{self.points} points shared among the responses"

    def fixed_answers(self) -> set[object]:
        """As `AskedQuestion.fixed_answers`."""
        return {("points", self.points)}

    def how_to_answer(self, display: Display) -> Iterator[str]:
        """As `AskedQuestion.how_to_answer`."""
        say, n = display.language.say, display.n_shown
        yield say(message("Share points among the responses so that they add up to %(points)s.", points=self.points))
        yield "; ".join(say(response_name(nth, n)) for nth in range(n))

    def reply_fields(self, display: Display) -> Iterator[ReplyField]:
        """As `AskedQuestion.reply_fields`: the points of each response."""
        for nth in range(display.n_shown):
            name = display.language.say(response_name(nth, display.n_shown))
            about = f": points of {name}, {self.points} in all"
            yield ReplyField("number", {}, f"_{letter(nth)}", f".{nth}", about, self.required)

    def accepts(self, value: str, shown: Sequence[str]) -> bool:
        """As `AskedQuestion.accepts`; the value is each key with its points, by key: `a = 60; b = 40; c = 0`."""
        found = points_of(value)
        return found is not None and {*found} == {*shown} and allocation_text(found) == value and self._fits(found)

    def _fits(self, points: Mapping[str, int]) -> bool:
        return min(points.values()) >= 0 and sum(points.values()) == self.points

    def form_of(self, value: str, name: str, shown: Sequence[str]) -> Form:
        """As `AskedQuestion.form_of`."""
        points = points_of(value) or {}
        return {f"{name}.{place}": [str(points[key])] for place, key in enumerate(shown)}

    def cell(self, given: Given, keys: Mapping[int, str]) -> str:
        """As `AskedQuestion.cell`: the points of each response, such as `a = 60; b = 40; c = 0`."""
        return allocation_text({keys[response]: points for response, points in given.by_response or ()})

    def as_read(self, value: str, keys: Sequence[str], display: Display) -> str:
        """As `AskedQuestion.as_read`."""
        points, say = points_of(value) or {}, display.language.say
        names = {say(response_name(nth, len(keys))): points.get(key, 0) for nth, key in enumerate(keys)}
        return "; ".join(f"{name}: {say(n)}" for name, n in names.items())

    def simulate(self, blank: Blank, rater: SimulatedRater) -> Form:
        """As `AskedQuestion.simulate`: the better the impression, the more portions of the points."""
        weights = [exp(rater.impression(response, self.key)) for response in blank.shown]
        portion = max(1, self.points // PORTIONS)
        shares = [portion * floor(self.points * weight / sum(weights) / portion) for weight in weights]
        best = weights.index(max(weights))
        shares[best] += self.points - sum(shares)
        return {f"{blank.name}.{place}": [str(share)] for place, share in enumerate(shares)}


def allocation_text(points: Mapping[str, int]) -> str:
    """The points of each response as one line of text, by key.

    >>> allocation_text({"b": 40, "a": 60})
    'a = 60; b = 40'
    """
    return "; ".join(f"{key} = {points[key]}" for key in sorted(points))


def points_of(value: str) -> dict[str, int] | None:
    """The points of each key in an allocation; None if it is not one.

    >>> points_of("a = 60; b = 40"), points_of("a > b")
    ({'a': 60, 'b': 40}, None)
    """
    parts = [part.rpartition("=") for part in value.split(";")]
    numbers = [whole_number(number) for _, _, number in parts]
    found = {key.strip(): number for (key, _, _), number in zip(parts, numbers, strict=True) if number is not None}
    return found if len(found) == len(parts) else None
