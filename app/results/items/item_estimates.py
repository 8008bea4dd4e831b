"""What raters answered about one item: ratings per source, their mean, and the spread between raters."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from app.base.words import number_text, readable
from app.protocol.questions.registry import Question
from app.protocol.study import Protocol
from app.results.items.item_answers import ItemAnswer

WORDS = {"tie": "About the same", "neither": "Neither", "cannot_judge": "Cannot judge"}


@dataclass(frozen=True, slots=True)
class ItemEstimate:
    """The answers to one question about one response, one turn, or the whole item.

    `about` names what was asked about; `mean` and `spread` (the standard deviation between raters) are of numbers, None
    for other answers; `counts` is (answer, number of raters), in the order of the scale or the most frequent first.
    """

    question: str
    about: str
    n: int
    mean: float | None
    spread: float | None
    counts: Sequence[tuple[str, int]]


def item_estimates(answers: Iterable[ItemAnswer], protocol: Protocol) -> list[ItemEstimate]:
    """The answers of one item by question and by what was asked about, in the order of the protocol."""
    places = {question.key: number for number, question in enumerate(protocol.questions)}
    sources = {key: number for number, key in enumerate(protocol.sources)}
    groups: dict[tuple[str, str | None, str | None, int | None], list[ItemAnswer]] = {}
    for answer in answers:
        if answer.question in places:
            groups.setdefault((answer.question, answer.source, answer.response, answer.turn), []).append(answer)
    twice = {source for source, n in Counter((key[0], key[1], key[3]) for key in groups).items() if n > 1}

    def order(key: tuple[str, str | None, str | None, int | None]) -> tuple[int, int, str, int]:
        question, source, response, turn = key
        return places[question], sources.get(source or "", -1), response or "", turn or 0

    found = []
    for key in sorted(groups, key=order):
        question, source, response, turn = key
        about = protocol.labels.source(source) if source else ""
        about += f" ({response})" if (question, source, turn) in twice else ""
        about += f"{', turn' if about else 'Turn'} {turn}" if turn is not None else ""
        found.append(_estimate(protocol, protocol.questions[places[question]], about or "The item", groups[key]))
    return found


def _estimate(protocol: Protocol, question: Question, about: str, answers: Sequence[ItemAnswer]) -> ItemEstimate:
    label = protocol.labels.question(question.key)
    numbers = [answer.number for answer in answers if answer.number is not None]
    mean = fmean(numbers) if numbers else None
    spread = stdev(numbers) if len(numbers) > 1 else None
    return ItemEstimate(label, about, len(answers), mean, spread, _counts(protocol, question, answers))


def _counts(protocol: Protocol, question: Question, answers: Sequence[ItemAnswer]) -> list[tuple[str, int]]:
    numbers = Counter(answer.number for answer in answers if answer.number is not None)
    words = dict(question.meanings())
    found = [(words.get(number_text(value)) or number_text(value), n) for value, n in sorted(numbers.items())]
    codes = protocol.labels.codes.get(question.key, {})
    others: Counter[str] = Counter()
    for answer in answers:
        if answer.codes is not None:
            others.update([codes.get(code) or readable(code) for code in answer.codes] or ["None"])
        elif answer.chosen is not None:
            others[WORDS.get(answer.chosen) or protocol.labels.source(answer.chosen)] += 1
        elif answer.text is not None:
            others["Answered in words" if answer.text else "Left empty"] += 1
    return found + others.most_common()
