"""The analysis as choices: scores from several questions, changes, believed source, covariates. Leads type no key."""

from collections.abc import Callable, Collection, Container, Iterable, Sequence
from dataclasses import replace

from app.base.words import readable
from app.protocol.declared_contrasts import RATED
from app.protocol.questions.registry import SCALED
from app.studies.editor.answer_codes import codes_of
from app.studies.editor.controls import Control, Option, lines_of, named_of
from app.studies.editor.named_choices import (
    answers_of,
    chosen,
    entry_options,
    fields_of,
    label_of,
    questions_about,
    select,
    ticks,
    title_of,
    value_of,
)
from app.studies.editor.nodes import Data, Named, Scalar
from app.studies.editor.primary_form import PATH as CONTRASTS
from app.studies.editor.primary_form import with_new_contrast, with_parts_that_fit, with_sentences
from app.studies.editor.question_keys import free_key, is_made, key_of, renamed, without_key
from app.studies.editor.sections import value_at, with_value
from app.studies.editor.stored_texts import Columns

COMPOSITES, CHANGES, BELIEVED = "analysis.composites", "analysis.changes", "analysis.believed_source"
EMPATHIC = "analysis.empathic_accuracy"
_NAMES = Named(Scalar())
# Who an answer probably means, if it is not the name of a source.
_KINDS_MEANT = {
    "human": frozenset({"human", "person", "mensch"}),
    "model": frozenset({"ai", "ki", "model", "machine", "computer"}),
}
_NO_PAIR = "Needs two questions about the rater that are answered by a number, such as mood before and after."


def with_analysis_choices(control: Control, data: Data, columns: Columns) -> Control:
    """A control of the analysis with choices in place of typed keys. Any other control is unchanged."""
    choose = _CHOICES.get(control.name)
    return choose(control, data, columns) if choose else with_sentences(control, data, columns.items)


def with_analysis_that_fits(before: Data, data: Data, fixed: Container[str]) -> Data:
    """The data after the analysis was edited: keys follow labels, and nothing names what is gone.

    The key of a score follows its label as long as nothing has been collected.
    """
    composites = value_at(before, COMPOSITES)
    for key, old in composites.items() if isinstance(composites, dict) else ():
        new = (value_at(data, COMPOSITES) or {}).get(key)
        if new is None:
            data = without_key(data, key)
        elif key not in fixed:
            data = _with_key_of_label(data, key, old if isinstance(old, dict) else {}, new)
    return with_parts_that_fit(before, _with_means_that_fit(before, data))


def _with_key_of_label(data: Data, key: str, old: Data, new: object) -> Data:
    label = new.get("label") if isinstance(new, dict) else None
    if not label or label == old.get("label") or not is_made(key, {"label": readable(key), **old}):
        return data
    free = free_key(data, key_of(label, "score"), but=key)
    return data if free == key else renamed(data, key, free)


def _with_new_composite(data: Data) -> Data:
    """One more score: of the questions about one thing that are in no score yet, or else of all about it."""
    there = value_at(data, COMPOSITES)
    composites = named_of(_NAMES, there)
    used = {key for one in composites.values() for key in _questions_of(one)}
    groups = _by_target(data)
    free = ([key for key in keys if key not in used] for keys in groups)
    keys = next((keys for keys in (*free, *groups) if len(keys) > 1), None)
    if keys is None:
        return data
    key = free_key(data, "score")
    return with_value(data, COMPOSITES, {**composites, key: {"label": readable(key), "questions": keys}})


def _by_target(data: Data) -> list[list[str]]:
    found: dict[str, list[str]] = {}
    for one in _scaled(data):
        found.setdefault(str(one.get("target")), []).append(str(one.get("key")))
    return list(found.values())


def _with_new_change(data: Data) -> Data:
    there = value_at(data, CHANGES)
    rows = list(there) if isinstance(there, list) else []
    used = {str(value) for row in rows if isinstance(row, dict) for value in row.values()}
    scores = [one.value for one in _rater_scores(data)]
    pair = [*(key for key in scores if key not in used), *(key for key in scores if key in used)][:2]
    return with_value(data, CHANGES, [*rows, dict(zip(("before", "after"), pair, strict=True))]) if pair[1:] else data


def _with_new_believed(data: Data) -> Data:
    questions = _category(data)
    return with_value(data, BELIEVED, _believed(data, questions[0])) if questions else data


def _with_new_empathic(data: Data) -> Data:
    felt = _felt(data)
    return with_value(data, EMPATHIC, {"felt": felt[0].value}) if felt else data


# What is added ready to use, not as an empty entry.
NEW: dict[str, Callable[[Data], Data]] = {
    CONTRASTS: with_new_contrast,
    COMPOSITES: _with_new_composite,
    CHANGES: _with_new_change,
    BELIEVED: _with_new_believed,
    EMPATHIC: _with_new_empathic,
}


def _believed(data: Data, question: Data) -> Data:
    """The question with what its answers probably mean."""
    sources = named_of(_NAMES, data.get("sources"))
    means = {code: _meant(sources, code, words) for code, words in codes_of(question).items()}
    return {"question": question["key"], "means": {code: found for code, found in means.items() if found}}


def _meant(sources: Data, code: str, words: str) -> list[str]:
    said = {code.casefold(), words.casefold()}
    named = [key for key, one in sources.items() if said & {key.casefold(), label_of(key, one).casefold()}]
    kinds = [kind for kind, words_of in _KINDS_MEANT.items() if said & words_of]
    return named or [key for key, one in sources.items() if isinstance(one, dict) and one.get("kind") in kinds]


def _with_means_that_fit(before: Data, data: Data) -> Data:
    """The believed source with answers of its question only, and none that means no source."""
    believed, old = value_at(data, BELIEVED), value_at(before, BELIEVED)
    if not isinstance(believed, dict) or believed == old:
        return data
    question = next((one for one in _category(data) if one.get("key") == believed.get("question")), {})
    if question and isinstance(old, dict) and old.get("question") != question["key"]:
        return with_value(data, BELIEVED, {**believed, **_believed(data, question)})
    codes = codes_of(question)
    means = named_of(_NAMES, believed.get("means"))
    kept = {code: named for code, named in means.items() if named and (code in codes or not codes)}
    return with_value(data, BELIEVED, {**believed, "means": kept})


def _scaled(data: Data) -> list[Data]:
    """The questions that are answered by a number."""
    return [one for one in questions_about(data) if one.get("type") in SCALED]


def _category(data: Data) -> list[Data]:
    return [one for one in questions_about(data) if one.get("type") == "category"]


def _options(questions: Iterable[Data]) -> list[Option]:
    return [Option(str(one.get("key")), title_of(one)) for one in questions]


def _felt(data: Data) -> list[Option]:
    return _options(one for one in _scaled(data) if one.get("target") in RATED)


def _rater_scores(data: Data) -> list[Option]:
    """The scores of a rater: questions that are answered by a number, and scores from them."""
    questions = [one for one in _scaled(data) if one.get("target") == "rater"]
    return [*_scores(data, {str(one.get("key")) for one in questions}), *_options(questions)]


def _scores(data: Data, of: Collection[str] | None = None) -> list[Option]:
    """The scores from several questions, or those of these questions only."""
    return [
        Option(key, label_of(key, one))
        for key, one in named_of(_NAMES, value_at(data, COMPOSITES)).items()
        if of is None or {*_questions_of(one)} <= {*of}
    ]


def _questions_of(composite: object) -> list[str]:
    return lines_of(composite.get("questions") if isinstance(composite, dict) else composite)


def _reference(control: Control, data: Data, columns: Columns) -> Control:  # noqa: ARG001 - as the other rules
    return select(control, entry_options(data, "sources"), "The first human source")


def _by_question(control: Control, data: Data, columns: Columns) -> Control:  # noqa: ARG001 - as the other rules
    """A number for each of some questions."""
    label = "Cut-off values" if control.name.endswith("cut") else "Differences too small to matter"
    options = tuple(_options(_scaled(data)))
    rows = [one for one in control.children if options or one.key]
    return replace(
        control, options=options, label=label, children=tuple(rows), is_open=bool(options), is_set=len(rows) > 1
    )


def _composites(control: Control, data: Data, columns: Columns) -> Control:  # noqa: ARG001 - as the other rules
    rows = tuple(_composite(row, _scaled(data)) for row in control.children)
    needs = (
        ""
        if any(len(keys) > 1 for keys in _by_target(data))
        else ("Needs two questions about the same thing that are answered by a number.")
    )
    return replace(
        control,
        label="Scores from several questions",
        help=needs,
        children=rows,
        is_open=not needs,
        is_set=bool(rows) or not needs,
    )


def _composite(row: Control, questions: Sequence[Data]) -> Control:
    """One score. Its first question decides what it is about, and so which others can be in it."""
    fields = fields_of(row)
    first = chosen(fields["questions"])[:1]
    about = {one.get("target") for one in questions if [one.get("key")] == first}
    options = _options(one for one in questions if not about or one.get("target") in about)
    label = replace(fields["label"], label="Name", standard=readable(row.key), is_required=True, help="")
    ticked = replace(ticks(fields["questions"], options, chosen(fields["questions"])), help="")
    score = replace(fields["score"], help="", is_set=True)
    rest = [one for name, one in fields.items() if name not in {"label", "questions", "score"}]
    return replace(row, key_name="", label=label.value or label.standard, children=(label, ticked, score, *rest))


def _changes(control: Control, data: Data, columns: Columns) -> Control:  # noqa: ARG001 - as the other rules
    options = _rater_scores(data)
    rows = []
    for row in control.children:
        fields = fields_of(row)
        before, after = (
            select(fields[name], options, None, label=words, is_required=True)
            for name, words in (("before", "From"), ("after", "to"))
        )
        key = f"{before.value}|{after.value}"
        rows.append(replace(row, shape="sentence", drawn=key, label="Change", children=(before, after)))
    is_open = len(options) > 1
    return replace(
        control,
        shape="sentences",
        label="Changes from before to after",
        help="" if is_open else _NO_PAIR,
        children=tuple(rows),
        is_open=is_open,
        is_set=is_open or bool(rows),
    )


def _believed_source(control: Control, data: Data, columns: Columns) -> Control:  # noqa: ARG001 - as the other rules
    label = "Who raters believe wrote a response"
    questions = _category(data)
    if control.shape == "absent":
        needs = "" if questions else "Needs a question with answers to choose from that asks who wrote a response."
        return replace(control, label=label, help=needs, is_open=bool(questions), is_set=bool(questions))
    fields = fields_of(control)
    question = select(fields["question"], _options(questions), None, label="Asked in")
    confidence = select(fields["confidence"], _options(_scaled(data)), "Not asked", label="How sure they are")
    asked = next((one for one in questions if one.get("key") == question.value), {})
    means = _means(fields["means"], answers_of(asked), data)
    return replace(control, label=label, help="", children=(question, means, confidence))


def _means(control: Control, answers: Sequence[Option], data: Data) -> Control:
    """For each answer of the question, the sources that it means."""
    sources = entry_options(data, "sources")
    there = {row.key: row for row in control.children if row.key}
    words = {one.value: one.words for one in answers}
    rows = []
    for number, code in enumerate([*there, *(one.value for one in answers if one.value not in there)]):
        name, row = f"{control.name}.{number}", there.get(code)
        named = chosen(row) if row else []
        new = Control(name, f"{control.path}.{code}", f"“{words.get(code) or readable(code)}” means", "lines")
        rows.append(replace(ticks(new, sources, named), key=code, key_name=f"{name}:key", is_set=True))
    question = str(value_at(data, f"{BELIEVED}.question") or "")
    return replace(control, shape="answers", label="", help="", drawn=question, children=tuple(rows))


def _empathic(control: Control, data: Data, columns: Columns) -> Control:  # noqa: ARG001 - as the other rules
    felt = _felt(data)
    if control.shape == "absent":
        needs = "" if felt else "Needs a question about an item, a response or a turn that is answered by a number."
        return replace(control, help=needs, is_open=bool(felt), is_set=False)
    fields = fields_of(control)
    own = select(fields["felt"], felt, None, label="What the person felt is asked in")
    perceived = select(fields["perceived"], felt, "The same question", label="What others think they felt is asked in")
    pool = select(
        fields["pool"],
        entry_options(data, "design.pools"),
        "The rater named with each item",
        label="Who tells what they felt",
    )
    return replace(control, help="", children=(own, perceived, pool))


def _covariates(control: Control, data: Data, columns: Columns) -> Control:
    questions = _options(one for one in _scaled(data) if one.get("target") != "rater")
    help_ = "Numbers that may go with the ratings. Questions about the rater are compared with them anyway."
    return _columns(control, [*questions, *_named(data, columns.numbers)], help_)


def _conjoint(control: Control, data: Data, columns: Columns) -> Control:
    help_ = "Columns of the responses whose levels were varied at random, such as accuracy and warmth."
    return replace(_columns(control, _named(data, columns.responses), help_), label="Varied at random")


def _rater_groups(control: Control, data: Data, columns: Columns) -> Control:
    pools = [Option("pool", "Pool")] if len(named_of(_NAMES, value_at(data, "design.pools"))) > 1 else []
    help_ = "Whether a question of a score works differently for these groups."
    return _columns(control, [*pools, *_named(data, columns.raters)], help_)


def _responder(control: Control, data: Data, columns: Columns) -> Control:
    options = _named(data, columns.responses)
    help_ = "The column that names the person or system, within a source, who wrote the response."
    return replace(select(control, options, "None"), is_set=bool(control.value), help=help_)


def _word_lists(control: Control, data: Data, columns: Columns) -> Control:  # noqa: ARG001 - as the other rules
    help_ = "A name, such as care, and below it one word per line. kind* stands for all words that begin with kind."
    rows = tuple(replace(row, key_label="Name of the list") for row in control.children)
    return replace(control, label="Lists of words", help=help_, children=rows)


def _matched_items(control: Control, data: Data, columns: Columns) -> Control:
    options = _named(data, columns.items)
    help_ = "The column that names what several items are versions of. Versions are compared with each other."
    return replace(select(control, options, "None"), is_set=bool(control.value), help=help_)


def _columns(control: Control, options: Iterable[Option], help_: str) -> Control:
    return replace(ticks(control, options, chosen(control)), help=help_)


def _named(data: Data, columns: Iterable[str]) -> list[Option]:
    return [Option(name, str(value_of(data, f"attributes.{name}.label") or readable(name))) for name in columns]


_CHOICES: dict[str, Callable[[Control, Data, Columns], Control]] = {
    "analysis.reference": _reference,
    "analysis.cut": _by_question,
    "analysis.margin": _by_question,
    COMPOSITES: _composites,
    CHANGES: _changes,
    BELIEVED: _believed_source,
    EMPATHIC: _empathic,
    "analysis.covariates": _covariates,
    "analysis.conjoint": _conjoint,
    "analysis.rater_groups": _rater_groups,
    "analysis.responder": _responder,
    "analysis.matched_items": _matched_items,
    "analysis.word_lists": _word_lists,
}
