"""A problem in the words of the forms: labels in place of keys, names of fields and pages in place of paths."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from app.base.problem import Problem
from app.base.words import found_in_words, readable
from app.protocol.conditions import LEVELS
from app.protocol.primary import TESTS
from app.studies.editor.controls import Control
from app.studies.editor.named_choices import entry_options, questions_about, title_of
from app.studies.editor.nodes import Data
from app.studies.editor.question_form import FIELD_WORDS
from app.studies.editor.reading import UNNAMED
from app.studies.editor.section_form import section_form
from app.studies.editor.sections import QUESTIONS, SECTIONS, section_of, value_at
from app.studies.editor.stored_texts import Stored

_DECLARED = ("attributes", "conditions", "sources", "design.pools", "analysis.composites")
_TOKEN = re.compile(r"`?\b[A-Za-z][\w-]*(?:\.[a-z]\w*)*\b`?")
_BEFORE = re.compile(r"(?:\(|, |\bor |\bof |\bfor |\bthan |^no )$")
_AFTER = re.compile(r"$|[,);]| or | \(")
_KEY = re.compile(r"[a-z0-9-]+(?:_[a-z0-9-]+)+")
# What files call otherwise than pages; whole words, longest first.
_TERMS = {
    "which has show_if": "which is asked only after some answers",
    "with show_if": "that are asked only after some answers",
    "show_if must have exactly one of equals, one_of and at_least": "choose either answers or a lowest number",
    "n_ratings must be the planned number of ratings if looks are declared": "looks need the planned answers",
    "correct or correct_column": "a correct answer",
    "exclusive can be set only with multiple: true": "an answer that excludes all others needs several answers",
    "codes must not contain |, which joins several codes in ratings.csv": "answers must not contain |",
    "conditions of the study as factor=level": "conditions of the study",
    "have the key of a question": "have the name of a question",
    "(add a question with another key instead)": "(add another question instead)",
    "have their own key": "have their own name",
    "with the target turn": "about each turn",
    "with the target response": "about each response",
    "with the same target": "about the same thing",
    "type and target": "kind and what it is about",
    "codes": "answers",
    "each code": "each answer",
    "a composite": "a score",
    "composites": "scores",
    "true or false": "yes or no",
}


def path_of(problem: Problem) -> str:
    """The path of the field where a problem can be solved: of one that the study lacks, it is in the rule."""
    there, named = problem.column or "", problem.allowed.partition(" ")[0]
    is_nearer = section_of(there) is None or ("." not in there and named.startswith(f"{there}."))
    return named if problem.is_rule and is_nearer and section_of(named) else there


def problem_words(problem: Problem, data: Data) -> str:
    """What is wrong and what is allowed, for a page that names the field or shows the problem beside it."""
    if UNNAMED in problem.found.split(", "):
        return "Choose a question for each entry, or remove the entry."
    words, problem = words_of(data), replace(problem, column=path_of(problem))
    # The field that begins a rule is where the problem is.
    place, _, rest = problem.allowed.partition(" ")
    is_placed = problem.is_rule and "." in place
    allowed = f"{place} {_said(rest, words, data)}" if is_placed else _said(problem.allowed, words, data)
    found = ", ".join(words.get(one) or _KEY.sub(_readable, one) for one in problem.found.split(", "))
    sentence = replace(problem, found=found, allowed=allowed).beside_its_field()
    name, space, rest = sentence.partition(" ")
    sentence = f"{readable(name)}{space}{rest}" if _KEY.fullmatch(name.lower()) else sentence
    # The names that a part has in the file say nothing on a page.
    there = value_at(data, problem.column or "")
    is_part = isinstance(there, dict) and there and problem.found == found_in_words(there)
    return sentence.removesuffix(f" Found: {found}.") if is_part else sentence


def _said(text: str, words: Mapping[str, str], data: Data) -> str:
    """A rule without keys. A key that is a plain word, such as `human`, is one only where a sentence lists keys."""

    def label(match: re.Match[str]) -> str:
        token = match[0].strip("`")
        if "." in token:
            return _field_at(token, data)
        is_listed = _BEFORE.search(text, 0, match.start()) and _AFTER.match(text, match.end())
        if token in words and ("_" in token or is_listed):
            return words[token]
        return readable(token) if "_" in token else token

    for term, meant in _TERMS.items():
        text = re.sub(rf"(?<![\w.]){re.escape(term)}(?![\w.])", meant, text)
    return _TOKEN.sub(label, text)


def _readable(match: re.Match[str]) -> str:
    return readable(match[0])


def _field_at(path: str, data: Data) -> str:
    """A field of a form, with the page that it is on."""
    section = section_of(path)
    return path if section is None else f"“{label_at(path, data)}” (page {section.title})"


def label_at(path: str, data: Data) -> str:
    """The label of a field on its page; of one that the study lacks or that has none, a readable form of its path."""
    section = section_of(path)
    controls = section_form(section, data, Stored()) if section else []
    labels = (one.label for control in controls for one in control.all if one.path == path and one.label)
    words = (part for part in reversed(path.split(".")) if not part.isdecimal())
    return next(labels, readable(next(words, "")))


def controls_at(data: Data) -> dict[str, Control]:
    """The fields of all pages but that of questions, by their paths."""
    pages = (section for section in SECTIONS if section.key != QUESTIONS)
    controls = (control for section in pages for control in section_form(section, data, Stored()))
    return {one.path: one for control in controls for one in control.all if one.label}


def words_of(data: Data) -> dict[str, str]:
    """What pages say in place of the keys of a study, of tests, and of settings."""
    declared = (one for path in _DECLARED for one in entry_options(data, path))
    levels = {level for known in LEVELS.values() for level in known}
    return {
        **{name: words for name, words in FIELD_WORDS.items() if "_" in name},
        **{level: readable(level) for level in levels if "_" in level},
        **_words_of_tests(),
        **{one.value: one.words for one in declared},
        **{str(one.get("key")): title_of(one) for one in questions_about(data)},
    }


@cache
def _words_of_tests() -> dict[str, str]:
    from app.analysis.document.design_words import test_words

    return {test: test_words(test) for test in TESTS}
