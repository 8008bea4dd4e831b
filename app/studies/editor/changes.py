"""What changed between two versions of a protocol, in the words of the pages on which it is edited."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from app.base.files.yaml_tree import read_yaml
from app.base.problems import Problems
from app.base.word_difference import Piece, n_changed, word_difference
from app.base.words import readable
from app.protocol.questions.registry import KINDS
from app.protocol.study import Protocol
from app.studies.editor.answer_codes import answer_lines, codes_of
from app.studies.editor.controls import text_of
from app.studies.editor.problem_words import controls_at, words_of
from app.studies.editor.question_form import ABOUT_WORDS, FIELD_WORDS
from app.studies.editor.scale_library import points_of
from app.studies.editor.sections import QUESTIONS, section_of

# What names an entry of a list, in this order; entries without one are compared by their place.
_NAMES = ("key", "name", "question")
# Where values are keys of questions, sources, scores and tests.
_WITH_KEYS = frozenset({"analysis", "checks", "design", "flow", "monitoring", "waves"})
_TOLD = frozenset({"key", "text", "label", "type", "target", "scale", "codes", "options"})
_ABSENT = object()
_SWITCH = {"true": "yes", "false": "no"}


class ShownChange(NamedTuple):
    """One change: where, and the values before and after; empty for what was added or removed."""

    place: str
    before: str
    after: str

    @property
    def pieces(self) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
        """Both values with the words that differ; none are marked if most of them do."""
        old, new = word_difference(self.before, self.after)
        kept = sum(not piece.is_changed for piece in new)
        is_other = not kept or n_changed(new) > len(self.after.split()) / 2
        return ((Piece(self.before, False),), (Piece(self.after, False),)) if is_other else (old, new)


def changes(before: str, after: str) -> list[ShownChange] | None:
    """The changes between two texts of study.yaml; None if one of them is not YAML, or both say the same.

    Entries of lists are compared by their key, so that a question that was moved is not another question.

    >>> before = "questions: [{key: warmth, text: Warm?}]"
    >>> for change in changes(before, "questions: [{key: warmth, text: How warm?}, {key: calm, text: Calm?}]"):
    ...     print(*change, sep=" | ")
    Question Warmth: Text | Warm? | How warm?
    Question Calm |  | Calm? Rating on a scale.
    """
    trees = [read_yaml("study.yaml", text, Problems()) for text in (before, after)]
    if any(tree is None for tree in trees):
        return None
    old, new = (tree.data if tree else None for tree in trees)
    return (
        list(_Comparison(*(one if isinstance(one, dict) else {} for one in (old, new))).changes((), (), old, new))
        or None
    )


def kept_together(old: Protocol, new: Protocol, *, answered: Collection[str], used: Collection[str]) -> list[str]:
    """What a new version with other names or wordings means for the results, one sentence for each.

    Args:
        old: the version that raters get.
        new: the draft.
        answered: keys of the questions that have answers.
        used: keys of the sources that have responses.
    """
    now = {one.key: one for one in new.questions}
    asked = [(one, now[one.key]) for one in old.questions if one.key in answered and one.key in now]
    names = [(old.labels.question(one.key), new.labels.question(one.key)) for one, _ in asked]
    names += [(old.labels.source(key), new.labels.source(key)) for key in old.sources if key in used]
    for name, factor in old.conditions.items():
        names.append((old.labels.factors.get(name) or readable(name), new.labels.factors.get(name) or readable(name)))
        names += [(old.labels.level(name, level), new.labels.level(name, level)) for level in factor.levels]
    sentences = [
        f"“{before}” is called “{after}” from then on, also for what has been collected."
        for before, after in names
        if before != after
    ]
    for before, after in asked:
        if before.as_asked() != after.as_asked():
            name = f"“{new.labels.question(after.key)}”"
            said = (
                f"wording of {name} changes" if before.text != after.text else f"answers or the help of {name} change"
            )
            sentences.append(
                f"The {said}. Answers to both versions count together; the results say how many are of each. "
                "If it asks for something else now, keep it as it was and add a new question."
            )
    return sentences


class _Comparison:
    """Two versions, with the words that pages have for their fields and keys."""

    def __init__(self, old: dict[str, Any], new: dict[str, Any]) -> None:
        self.words = {**words_of(old), **words_of(new)}
        self.controls = {**controls_at(old), **controls_at(new)}
        # By the name of the field, as entries of lists have theirs in common.
        fields = ((_field_of(path.split(".")), control.label) for path, control in self.controls.items())
        self.labels = {field: label for field, label in fields if label != field[-1]}

    def changes(
        self,
        path: tuple[str, ...],
        words: tuple[str, ...],
        old: Any,  # noqa: ANN401 - any value of YAML
        new: Any,  # noqa: ANN401 - any value of YAML
    ) -> Iterator[ShownChange]:
        """The changes at a path, which pages call by `words`."""
        if len(path) == 1 or _named(old) or _named(new):
            old, new = _empty_of(old, new), _empty_of(new, old)
        named = _named(old), _named(new)
        if named[0] is not None and named[1] is not None:
            yield from self.of_entries(path, words, named[0], named[1], is_ordered=True)
        elif isinstance(old, Mapping) and isinstance(new, Mapping):
            # What pages let leads move; the order of other mappings is only the layout of the text.
            control = self.controls.get(".".join(path))
            is_ordered = control is not None and control.shape == "named"
            yield from self.of_entries(path, words, old, new, is_ordered=is_ordered)
        elif old != new:
            yield ShownChange(self.place(path, words), self.said(path, old), self.said(path, new))

    def of_entries(
        self,
        path: tuple[str, ...],
        words: tuple[str, ...],
        old: Mapping[str, Any],
        new: Mapping[str, Any],
        *,
        is_ordered: bool,
    ) -> Iterator[ShownChange]:
        """What was removed, changed and added, in the newer version's order; then whether the rest was reordered."""
        names = [*new, *(name for name in old if name not in new)]
        said = {name: self.name((*path, name), old[name] if name in old else new[name]) for name in names}
        for name in names:
            below = old.get(name, _ABSENT), new.get(name, _ABSENT)
            yield from self.changes((*path, name), (*words, said[name]), *below)
        orders = [name for name in old if name in new], [name for name in new if name in old]
        if orders[0] != orders[1] and is_ordered:
            both = orders, orders[::-1]
            yield ShownChange(
                f"{self.place(path, words)}: Order", *(_part_of(order, other, said) for order, other in both)
            )

    def name(self, path: tuple[str, ...], entry: Any) -> str:  # noqa: ANN401 - any value of YAML
        """What pages call a field or an entry: by its label, or else by its key."""
        label = str(entry.get("label") or "") if isinstance(entry, Mapping) else ""
        field = FIELD_WORDS.get(path[-1]) if path[0] == QUESTIONS else self.labels.get(_field_of(path))
        return label or field or self.key(path, path[-1]) or readable(path[-1])

    def key(self, path: tuple[str, ...], text: str) -> str:
        """What pages say in place of a key; empty where values are no keys, or for what is none."""
        return self.words.get(text, "") if path[0] in _WITH_KEYS else ""

    def place(self, path: tuple[str, ...], words: tuple[str, ...]) -> str:
        """The page and the field."""
        section = section_of(".".join(path))
        if section is None:
            return ": ".join(words) or "study.yaml"
        if path[-1] == "label":
            words = (*words[:-1], "Short name" if section.key == QUESTIONS else "Name")
        if section.key == QUESTIONS:
            head, rest = f"Question {words[1]}" if path[1:] else section.title, words[2:]
        else:
            own = next(one for one in section.paths if ".".join(path).startswith(one))
            head, rest = section.title, words[own.count(".") :]
        said = ", ".join(rest[1:] if rest[:1] == (head,) else rest)
        return f"{head}: {said}" if said else head

    def said(self, path: tuple[str, ...], value: Any) -> str:  # noqa: ANN401 - any value of YAML
        """A value as pages say it: a question with its answers, the label of a choice, labels in place of keys."""
        if value is _ABSENT or value is None:
            return ""
        if isinstance(value, list):
            return ", ".join(self.said(path, one) for one in value)
        if isinstance(value, Mapping):
            return self.entry(path, value)
        text = text_of(value)
        control = self.controls.get(".".join(path))
        options = {one.value: one.words for one in control.options} if control else {}
        return options.get(text) or _SWITCH.get(text) or self.key(path, text) or text

    def entry(self, path: tuple[str, ...], entry: Mapping[str, Any]) -> str:
        """A question or a check with its answers; of other entries, what each field says."""
        fields = {str(name): one for name, one in entry.items() if name != "key"}
        lead = ""
        if path[0] == QUESTIONS or {"text", "codes"} <= set(entry):
            lead, codes = _asked(entry), codes_of(entry)
            fields = {name: one for name, one in fields.items() if name not in _TOLD}
            if "correct" in fields:
                fields["correct"] = codes.get(str(fields["correct"]), fields["correct"])
        said = (f"{self.name((*path, name), one)}: {self.said((*path, name), one)}" for name, one in fields.items())
        return " ".join(filter(None, (lead, ", ".join(said))))


def _part_of(order: Sequence[str], other: Sequence[str], said: Mapping[str, str]) -> str:
    """The part of an order that is another in the other one, with one entry before and after it."""
    differs = [place for place, pair in enumerate(zip(order, other, strict=True)) if pair[0] != pair[1]]
    first, last = max(differs[0] - 1, 0), differs[-1] + 2
    words = [said[one] for one in order[first:last]]
    return ", ".join([*(["…"] if first else []), *words, *(["…"] if last < len(order) else [])])


def _field_of(path: Sequence[str]) -> tuple[str, int, str]:
    """The part of the study, the depth and the name of a field, without the names of the entries that it is in."""
    return path[0], len(path), path[-1]


def _empty_of(value: Any, other: Any) -> Any:  # noqa: ANN401 - any value of YAML
    """A list or a mapping that one version lacks is empty there, so that its entries are compared one by one."""
    return type(other)() if value is _ABSENT and isinstance(other, dict | list) else value


def _asked(question: Mapping[str, Any]) -> str:
    """A question or a check with its kind and its answers."""
    kind = KINDS.get(str(question.get("type", "rating")))
    about = ABOUT_WORDS.get(str(question.get("target")), "")
    about = f", about {about[0].lower()}{about[1:]}" if about and question.get("target") != "rater" else ""
    points = [f"{value} {words}".strip() for value, words in points_of(question).items()]
    answers = ", ".join(points or answer_lines(codes_of(question)))
    is_check = "codes" in question and "type" not in question
    what = "" if is_check or kind is None else f"{kind.type_words}{about}"
    shown = ": ".join(filter(None, (what, answers)))
    return " ".join(filter(None, (str(question.get("text", "")), f"{shown}." if shown else "")))


def _named(value: Any) -> dict[str, Any] | None:  # noqa: ANN401 - any value of YAML
    """The entries of a list by their names; None if it is no list, or if they have none or share one."""
    if not isinstance(value, Sequence) or isinstance(value, str) or not all(isinstance(one, Mapping) for one in value):
        return None
    if not value:
        return {}
    name = next((name for name in _NAMES if all(name in one for one in value)), None)
    entries = {str(one[name]): one for one in value} if name else {}
    return entries if len(entries) == len(value) else None
