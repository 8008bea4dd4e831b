"""Primary contrasts as sentences of choices: what the study compares, and how it is tested."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from app.base.problems import Problems
from app.base.words import readable
from app.protocol.consistency import SHOWN_LABEL
from app.protocol.primary import KINDS, PARTS, TESTS, TEXT_MEASURES, PrimaryContrast, tests_for
from app.protocol.primary_default import default_contrast, first_question, primary_contrasts, test_of
from app.protocol.questions.registry import AnyQuestion
from app.protocol.study import Protocol
from app.protocol.study_parts import WORD_SHARE
from app.protocol.yaml.study_yaml import read_protocol
from app.studies.editor.controls import Control, Option, Shape
from app.studies.editor.nodes import Data
from app.studies.editor.sections import value_at, with_value

PATH = "analysis.primary"
OF_TEXTS = "text_difference"
# What a sentence says before each of its choices, by what its test compares.
_PHRASES: dict[str, tuple[tuple[str, str], ...]] = {
    "sources": (("Do raters rate", "source"), ("differently from", "reference"), ("on", "question")),
    "preference": (("Do raters prefer", "source"), ("to", "reference"), ("in", "question")),
    "codes": (
        ("Do raters answer", "code"),
        ("in", "question"),
        ("more or less often for", "source"),
        ("than for", "reference"),
    ),
    "factor": (
        ("Does", "factor"),
        ("at", "level"),
        ("change", "question"),
        ("for", "source"),
        ("compared with", "reference"),
    ),
    "attribute": (("Does", "attribute"), ("at", "level"), ("change", "question")),
    "item_attribute": (
        ("Does", "attribute"),
        ("of the items, at", "level"),
        ("change", "question"),
        ("with", "code"),
        ("for", "source"),
        ("compared with", "reference"),
        ("answered by", "rater_kind"),
    ),
    "pools": (
        ("Do", "pool"),
        ("or all", "rater_kind"),
        ("answer differently from", "reference_pool"),
        ("or from all", "reference_rater_kind"),
        ("on", "question"),
        ("with", "code"),
        ("for", "source"),
        ("compared with", "reference"),
    ),
    "turns": (("Does", "question"), ("change from turn to turn for", "source"), ("differently than for", "reference")),
    "covariate": (
        ("Does", "covariate"),
        ("go with", "question"),
        ("for", "source"),
        ("differently than for", "reference"),
    ),
    "belief": (("Does what raters believe about the source change", "question"), ("for", "source")),
    "accuracy": (("How often are raters right about", "question"), ("for", "source")),
    "agreement": (("Do raters agree on", "question"), ("for", "source"), ("with", "code")),
    "change": (("Does", "question"), ("change from before to after by", "factor"), ("at", "level")),
    "conjoint": (("Does", "attribute"), ("at", "level"), ("change", "question")),
    "empathic_accuracy": (("How well do raters infer", "question"),),
    "texts": (("Do texts of", "source"), ("differ from those of", "reference"), ("in", "question")),
    "structure": (("Which factors have the questions of", "question"),),
    "spans": (("Do raters mark the same passages in", "question"), ("for", "source")),
}
_WITHOUT_POOLS = {"rater_kind": "Do all", "reference_rater_kind": "answer differently from all"}
_AFTER = (("Tested as", "test"), ("within", "margin"), ("among", "pool"))
_ANY = {
    "source": "each other source",
    "level": "each level",
    "code": "each answer",
    "pool": "all raters",
    "reference_pool": "the other pool",
    "rater_kind": "no kind of raters",
    "reference_rater_kind": "no kind of raters",
    "published": "nothing",
}
_UNIT = " (percentage points)"
_BESIDE = {"published": "and beside it, as published,"}
_CLAIMS = {"equivalence": "Equivalent", "non_inferiority": "At least as good"}


def protocol_without_primary(data: Data) -> Protocol | None:
    """The protocol as far as the choices depend on it; None while other parts of it have problems."""
    rest = with_value(with_value(data, PATH, None), "monitoring", None)
    return read_protocol(json.dumps(rest, default=str), Problems())


def with_sentences(control: Control, data: Data, columns: Sequence[str] = ()) -> Control:
    """Primary contrasts as sentences of choices in place of typed keys. Any other control is unchanged.

    `columns` are those of the items, whose values can be compared like declared attributes.
    """
    if control.name != PATH:
        return control
    for name in columns:
        data = data if value_at(data, f"attributes.{name}") else with_value(data, f"attributes.{name}", {})
    protocol = protocol_without_primary(data)
    rows = tuple(_sentence(row, protocol) for row in control.children)
    return replace(control, shape="sentences", label="What the study asks", help="", children=rows)


def implied_contrast(data: Data) -> PrimaryContrast | None:
    """The contrast that is primary while none is declared."""
    protocol = None if value_at(data, PATH) else protocol_without_primary(data)
    return next(iter(primary_contrasts(protocol)), None) if protocol else None


def with_new_contrast(data: Data) -> Data:
    """The data with one more primary contrast: of the first question that has none yet."""
    protocol, rows = protocol_without_primary(data), _rows(data)
    taken = {row["question"] if isinstance(row, dict) else row for row in rows}
    if protocol is None:
        return data
    keys = [one.value for one in _questions(protocol) if _is_usual(protocol, one.value)]
    free = [key for key in keys if key not in taken]
    usual = next((key for key in free if test_of(protocol, PrimaryContrast(question=key))), None)
    if usual is not None:
        return with_value(data, PATH, [*rows, usual])
    question = first_question(protocol, free[0]) if free else None
    tests = _tests(protocol, question) if question else ()
    # What no test is usual for gets the first that the study has everything for.
    return with_value(data, PATH, [*rows, {"question": free[0], "test": tests[0].value}]) if tests else data


def with_parts_that_fit(before: Data, data: Data) -> Data:
    """The data after sentences were edited: a changed contrast has no parts but those that its test takes.

    A contrast that was not changed stays as it is written.
    """
    rows, old = _rows(data), _rows(before)
    protocol = protocol_without_primary(data) if rows != old else None
    if protocol is None:
        return data
    return with_value(data, PATH, [row if row in old else _fitting(protocol, row, old) for row in rows] or None)


def _rows(data: Data) -> list[Any]:
    found = value_at(data, PATH)
    return list(found) if isinstance(found, list) else []


def _fitting(protocol: Protocol, row: Any, old: Sequence[Any]) -> Any:  # noqa: ANN401 - as study.yaml says it
    contrast = _contrast(row)
    if contrast is not None and contrast.question in _measures(protocol):
        return _of_texts(row)
    question = first_question(protocol, contrast.question) if contrast else None
    if contrast is None or question is None:
        return row
    fitted: Data = {"question": row} if isinstance(row, str) else dict(row)
    fits = [one.value for one in _tests(protocol, question)]
    is_kept = any(_contrast(one) == contrast for one in old)
    if contrast.test is not None and contrast.test not in fits:
        del fitted["test"]
    if not is_kept and fitted.get("published") not in {None, *fits}:
        del fitted["published"]
    test = test_of(protocol, _contrast(fitted) or contrast)
    if test is None or test not in TESTS:
        return fitted
    takes = (*TESTS[test].needs, *TESTS[test].may)
    fitted = {name: value for name, value in fitted.items() if name not in PARTS or name in takes}
    for need in TESTS[test].needs:
        options = [one.value for one in _options(protocol, need, question, fitted) if one.value]
        if need not in fitted and options:
            fitted[need] = options[0]
    return fitted


def _of_texts(row: Any) -> Data:  # noqa: ANN401 - as study.yaml says it
    """A contrast of texts with its only test, and the parts that it takes."""
    given = {"question": row} if isinstance(row, str) else dict(row)
    takes = ("question", *TESTS[OF_TEXTS].may)
    return {name: value for name, value in given.items() if name in takes} | {"test": OF_TEXTS}


def _measures(protocol: Protocol) -> list[str]:
    """The measures of texts that are no question or score of the study, if it has sources to compare."""
    if len(protocol.sources) < 2:  # noqa: PLR2004 - two are compared
        return []
    lists = [f"{WORD_SHARE}{name}" for name in protocol.analysis.word_lists]
    return [name for name in (*TEXT_MEASURES, *lists) if first_question(protocol, name) is None]


def _contrast(row: Any) -> PrimaryContrast | None:  # noqa: ANN401 - as study.yaml says it
    try:
        return PrimaryContrast.model_validate(row)
    except ValidationError:
        return None


def _sentence(row: Control, protocol: Protocol | None) -> Control:
    """One contrast: its fields in the order of the sentence, each labelled with the words before it."""
    fields = {one.name.rpartition(".")[2]: one for one in row.children}
    values = {name: one.value for name, one in fields.items() if one.value}
    contrast = _contrast(values) if values.get("question") else None
    question = first_question(protocol, values["question"]) if protocol and contrast else None
    test = test_of(protocol, contrast) if protocol and contrast else None
    has_pools = protocol is not None and bool(protocol.design.pools)
    said = [*_phrase(test, question, has_pools=has_pools), *_AFTER]
    takes = {"question", "test", *(TESTS[test].needs + TESTS[test].may if test in TESTS else ())}
    named = {name for _, name in said}
    said += [(_BESIDE.get(name) or f"and {readable(name).lower()}", name) for name in fields if name not in named]
    shown: dict[str, Control] = {}
    for words, name in said:
        field = fields[name]
        options = _choices(protocol, name, question, values, test) if protocol else ()
        if name in shown or not (field.value or (name in takes and (options or name == "margin"))):
            continue
        shape: Shape = "number" if name == "margin" else "choice"
        help_ = readable(name)
        shown[name] = replace(
            field, label=words, help=help_, shape=shape, options=tuple(options), is_new=True, is_required=True
        )
    drawn = "|".join((values.get("question", ""), values.get("test", "")))
    return replace(row, shape="sentence", drawn=drawn, children=tuple(shown.values()))


def _phrase(test: str | None, question: AnyQuestion | None, *, has_pools: bool) -> tuple[tuple[str, str], ...]:
    compares: str = TESTS[test].compares if test in TESTS else "sources"
    if compares == "sources" and question is not None:
        compares = {"preference": "preference", "order": "preference", "codes": "codes"}.get(question.measure, compares)
    if compares == "pools" and not has_pools:
        return tuple((_WITHOUT_POOLS.get(name, words), name) for words, name in _PHRASES[compares])
    return _PHRASES[compares]


def _choices(
    protocol: Protocol, name: str, question: AnyQuestion | None, values: Data, test: str | None
) -> Sequence[Option]:
    """What a part of a sentence can be; nothing if there is nothing to choose."""
    if name == "question":
        found, now = list(_questions(protocol)), str(values.get("question") or "")
        # A score of the raters is compared between people and models, which a study has only once both have answered.
        if test == OF_TEXTS and now not in {one.value for one in found}:  # an imported score
            return [*found, Option(now, _of_measure(protocol, now))]
        is_there = question is None or now in {one.value for one in found}
        return found if is_there else [*found, Option(now, protocol.labels.question(now))]
    if question is None and test == OF_TEXTS:
        only = [Option(OF_TEXTS, "difference between texts")]
        return only if name == "test" else _options(protocol, name, None, values) if name in TESTS[OF_TEXTS].may else ()
    if question is None:
        return ()
    if name in {"test", "published"}:
        return _test_choices(protocol, name, question, values, test)
    options = _options(protocol, name, question, values)
    if name == "rater_kind" and test in TESTS and TESTS[test].compares != "pools":
        options = [Option("", KINDS["person"]), *(one for one in options if one.value in {"model", values.get(name)})]
    if name == "source" and options and "reference" not in (TESTS[test].may if test in TESTS else ("reference",)):
        options[0] = Option("", "each source")
    return options if any(one.value for one in options) else ()


def _test_choices(
    protocol: Protocol, name: str, question: AnyQuestion, values: Data, test: str | None
) -> Sequence[Option]:
    from app.analysis.document.design_words import test_words

    fits = _tests(protocol, question)
    if name == "published":
        same = [one for one in fits if test in TESTS and TESTS[one.value].compares == TESTS[str(test)].compares]
        return [Option("", _ANY[name]), *(one for one in same if one.value != test)]
    usual = default_contrast(protocol, values["question"])
    meant = test_of(protocol, PrimaryContrast.model_validate({**values, "test": None}))
    words = test_words(str(meant or (usual.test if usual else "") or "mean_difference")).removesuffix(_UNIT)
    others = (one for one in fits if one.value != meant or values.get("test") == meant)
    return [Option("", f"{words} (default)"), *others]


def _tests(protocol: Protocol, question: AnyQuestion) -> list[Option]:
    from app.analysis.document.design_words import test_words

    fits = [test for test in tests_for(question) if _is_possible(protocol, question, test)]
    claims_first = sorted(fits, key=lambda test: test not in _CLAIMS)
    return [Option(test, _CLAIMS.get(test) or test_words(test).removesuffix(_UNIT)) for test in claims_first]


def _is_possible(protocol: Protocol, question: AnyQuestion, test: str) -> bool:
    """Whether the study has what a test compares."""
    analysis = protocol.analysis
    return {
        "sources": len(protocol.sources) > 1,
        "factor": bool(protocol.conditions),
        "attribute": bool(_attributes(protocol)),
        "item_attribute": bool(_attributes(protocol)) and question.target != "rater",
        "pools": test != "pool_change_difference" or bool(analysis.changes),
        "turns": question.target == "turn",
        "belief": analysis.believed_source is not None,
        "change": bool(analysis.changes),
        "conjoint": bool(analysis.conjoint),
        "empathic_accuracy": analysis.empathic_accuracy is not None,
        "structure": any(
            one.factors is not None and question.key in one.questions for one in analysis.composites.values()
        ),
        "covariate": bool(list(_covariates(protocol))),
    }.get(TESTS[test].compares, True)


def _is_usual(protocol: Protocol, key: str) -> bool:
    """Whether a question has a comparison in any study: a score of raters only between pools."""
    question = first_question(protocol, key)
    if question is None:
        return False
    found = (one.value for one in _tests(protocol, question))
    return len(protocol.design.pools) > 1 or any(TESTS[test].compares != "pools" for test in found)


def _questions(protocol: Protocol) -> Iterator[Option]:
    """The questions and scores that can be compared."""
    for key in (*protocol.analysis.composites, *(one.key for one in protocol.questions)):
        question = first_question(protocol, key)
        if question is not None and any(_is_possible(protocol, question, test) for test in tests_for(question)):
            yield Option(key, protocol.labels.question(key))
    for name in _measures(protocol):
        yield Option(name, _of_measure(protocol, name))


def _of_measure(protocol: Protocol, name: str) -> str:
    from app.analysis.wording.formatting import measure_text

    words = measure_text(name, protocol.labels)
    return f"{words[:1].upper()}{words[1:]} (of the texts)"


def _options(protocol: Protocol, part: str, question: AnyQuestion | None, values: Data) -> list[Option]:
    labels, design = protocol.labels, protocol.design
    found = {
        "source": [Option(key, labels.source(key)) for key in protocol.sources],
        "reference": [Option(key, labels.source(key)) for key in protocol.sources],
        "factor": _factors(protocol),
        "attribute": [Option(key, labels.column(key)) for key in _attributes(protocol)],
        "code": [Option(key, words) for key, words in getattr(question, "codes", {}).items()],
        "pool": [Option(key, labels.pool(key)) for key in design.pools],
        "reference_pool": [Option(key, labels.pool(key)) for key in design.pools],
        "rater_kind": [Option(key, words) for key, words in KINDS.items()],
        "reference_rater_kind": [Option(key, words) for key, words in KINDS.items()],
        "covariate": list(_covariates(protocol)),
        "level": _levels(protocol, str(values.get("factor", ""))),
    }.get(part, [])
    first = labels.source(protocol.reference) if part == "reference" and protocol.reference else _ANY.get(part)
    if part == "reference":
        found = [one for one in found if one.value != protocol.reference or values.get(part) == one.value]
    return [Option("", first), *found] if first and found else found


def _factors(protocol: Protocol) -> list[Option]:
    is_told = any(factor.kind == SHOWN_LABEL for factor in protocol.conditions.values())
    told = [Option(SHOWN_LABEL, "What raters are told about the source")] if is_told else []
    return told + [Option(key, protocol.labels.factors.get(key) or readable(key)) for key in protocol.conditions]


def _levels(protocol: Protocol, factor: str) -> list[Option]:
    condition = protocol.conditions.get(factor)
    return [Option(level, protocol.labels.level(factor, level)) for level in condition.levels] if condition else []


def _attributes(protocol: Protocol) -> list[str]:
    of_sources = [name for source in protocol.sources.values() for name in source.attributes]
    return list(dict.fromkeys([*protocol.analysis.conjoint, *protocol.attributes, *of_sources]))


def _covariates(protocol: Protocol) -> Iterator[Option]:
    labels = protocol.labels
    for name in (*protocol.analysis.composites, *(one.key for one in protocol.scaled_questions)):
        question = first_question(protocol, name)
        if question is not None and question.target == "rater":
            yield Option(name, labels.question(name))
    for name in protocol.analysis.covariates:
        yield Option(name, labels.column(name))
