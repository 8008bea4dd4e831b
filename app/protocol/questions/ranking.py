"""The kind `ranking`: three or more responses of an item in order, from first to last.

Rank 1 is first. If ties are allowed, tied responses share a rank and no rank is left out: 1, 2, 2, 3.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Literal

from app.base.language.message import Message, message
from app.protocol.questions.display import (
    Display,
    Layout,
    Option,
    ReplyField,
    digit_key,
    letter,
    offers_of,
    response_name,
    values_of,
)
from app.protocol.questions.of_set import Misfit, SetQuestion, whole_number
from app.protocol.questions.question import Blank, Form, Given, Measure, SimulatedRater

# Simulated raters tie responses that differ by less than this, in standard deviations.
TIE_BELOW = 0.3


class RankingQuestion(SetQuestion):
    """An order of the responses that are shown together. `ties`: whether several may share a rank."""

    has_script: ClassVar[bool] = True
    measure: ClassVar[Measure] = "order"
    noun: ClassVar[str] = "a ranking"
    deed: ClassVar[str] = "rank"
    done: ClassVar[str] = "responses are ranked"
    lacks: ClassVar[str] = "there is no rank"
    type_words: ClassVar[str] = "Ranking of responses"
    type: Literal["ranking"]
    ties: bool = False
    """Whether responses may share a rank in a ranking."""

    def number_of(self, text: str) -> int | None:
        """As `SetQuestion.number_of`."""
        rank = whole_number(text)
        return rank if rank is not None and rank >= 1 else None

    def fits(self, value: int, n_shown: int) -> bool:
        """As `SetQuestion.fits`."""
        return value <= n_shown

    def not_a_number(self, n_shown: int) -> Message:
        """As `SetQuestion.not_a_number`."""
        return message("Give each response a rank from 1 to %(n)s.", n=n_shown)

    def not_given(self) -> Message:
        """As `SetQuestion.not_given`."""
        return message("Give every response a rank.")

    def problem(self, numbers: Sequence[int]) -> Message | None:
        """As `SetQuestion.problem`."""
        if not self.ties and len(set(numbers)) < len(numbers):
            return message("Give each rank to one response only.")
        if missing := _missing(numbers):
            return message("No response has rank %(rank)s. Do not leave out a rank.", rank=missing)
        return None

    def misfit(self, numbers: Sequence[int]) -> Misfit | None:
        """As `SetQuestion.misfit`."""
        twice = next((place for place, rank in enumerate(numbers) if rank in numbers[:place]), None)
        if twice is not None and not self.ties:
            rule = "each rank once (row {row} has the same rank), because the question does not allow ties"
            return Misfit(twice, rule, numbers.index(numbers[twice]))
        if missing := _missing(numbers):
            return Misfit(numbers.index(max(numbers)), f"ranks without gaps: no response has rank {missing}")
        return None

    def allowed_words(self) -> str:
        """As `AskedQuestion.allowed_words`."""
        several = "tied responses share a rank" if self.ties else "each rank once"
        return f"the rank of the response, a whole number from 1 (first), without gaps; {several}"

    def in_words(self) -> str:
        """As `AskedQuestion.in_words`."""
        return "the order of the responses"

    def options(self, display: Display) -> tuple[Option, ...]:
        """As `AskedQuestion.options`: the ranks."""
        ranks = range(1, display.n_shown + 1)
        return tuple(Option(str(n), str(n), digit_key(n), display.language.say(n), has_words=False) for n in ranks)

    def layout(self, options: Sequence[Option]) -> Layout:  # noqa: ARG002 - as in the base
        """As `AskedQuestion.layout`."""
        return "scale"

    def how_to_answer(self, display: Display) -> Iterator[str]:
        """As `AskedQuestion.how_to_answer`."""
        say, n = display.language.say, display.n_shown
        yield say(message("Give each response a rank from 1 (first) to %(n)s (last).", n=n))
        if self.ties:
            yield say(message("Responses you find equally good can share a rank."))
        yield "; ".join(say(response_name(nth, n)) for nth in range(n))

    def reply_fields(self, display: Display) -> Iterator[ReplyField]:
        """As `AskedQuestion.reply_fields`: a rank per response."""
        ranks = values_of(offers_of(self.options(display)))
        for nth in range(display.n_shown):
            about = f": rank of {display.language.say(response_name(nth, display.n_shown))}"
            yield ReplyField("one_of", ranks, f"_{letter(nth)}", f".{nth}", about, self.required)

    def accepts(self, value: str, shown: Sequence[str]) -> bool:
        """As `AskedQuestion.accepts`; the value is an order of keys such as `b > a = c`."""
        order = ranks_of(value)
        is_tied = len(set(order.values())) < len(order)
        n_named = sum(len(keys.split("=")) for keys in value.split(">"))
        return set(order) == set(shown) and n_named == len(shown) and (self.ties or not is_tied)

    def form_of(self, value: str, name: str, shown: Sequence[str]) -> Form:
        """As `AskedQuestion.form_of`."""
        order = ranks_of(value)
        return {f"{name}.{place}": [str(order[key])] for place, key in enumerate(shown)}

    def cell(self, given: Given, keys: Mapping[int, str]) -> str:
        """As `AskedQuestion.cell`: the order of the responses, such as `b > a = c`."""
        return order_text({keys[response]: rank for response, rank in given.by_response or ()})

    def as_read(self, value: str, keys: Sequence[str], display: Display) -> str:
        """As `AskedQuestion.as_read`."""
        names = (display.language.say(response_name(nth, len(keys))) for nth in range(len(keys)))
        order = ranks_of(value)
        return order_text({name: order[key] for name, key in zip(names, keys, strict=True)})

    def simulate(self, blank: Blank, rater: SimulatedRater) -> Form:
        """As `AskedQuestion.simulate`: ordered by impression, the best first."""
        found = [(rater.impression(response, self.key), place) for place, response in enumerate(blank.shown)]
        form: Form = {}
        rank, last = 0, float("inf")
        for impression, place in sorted(found, reverse=True):
            if not (self.ties and last - impression < TIE_BELOW):
                rank, last = rank + 1, impression
            form[f"{blank.name}.{place}"] = [str(rank)]
        return form


def order_text(ranks: Mapping[str, int]) -> str:
    """An order as one line of text, from first to last.

    >>> order_text({"a": 2, "b": 1, "c": 2})
    'b > a = c'
    """
    levels = sorted(set(ranks.values()))
    return " > ".join(" = ".join(sorted(key for key in ranks if ranks[key] == level)) for level in levels)


def ranks_of(order: str) -> dict[str, int]:
    """The rank of each key in an order.

    >>> ranks_of("b > a = c")
    {'b': 1, 'a': 2, 'c': 2}
    """
    levels = enumerate(order.split(">"), start=1)
    return {key.strip(): rank for rank, keys in levels for key in keys.split("=")}


def _missing(ranks: Sequence[int]) -> int | None:
    return min(set(range(1, max(ranks) + 1)) - set(ranks), default=None)
