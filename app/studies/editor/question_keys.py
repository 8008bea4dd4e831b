"""Keys, which leads never see: made from labels, and changed or removed wherever they are used."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator
from copy import deepcopy
from typing import Any

from app.protocol.cells import cell_of
from app.protocol.conditions import level_name
from app.protocol.consistency import WITH_CUT
from app.protocol.primary import TESTS
from app.protocol.waves import MARK
from app.studies.editor.nodes import Data

# The new name of a key; None to remove what names it.
Rename = Callable[[Any], Any]
_MOST = 40
_PARTS = frozenset({"flow", "checks", "analysis", "design", "conditions"})


def key_of(words: str, otherwise: str = "question") -> str:
    """A key made from words: Latin letters without accents, other letters as they are, and at most 40 characters.

    >>> key_of("The reply shows that the author feels with me."), key_of("Fühlt mit"), key_of("...")
    ('the_reply_shows_that_the_author_feels', 'fuhlt_mit', 'question')
    """
    plain = unicodedata.normalize("NFKD", words.casefold())
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    key = ""
    for word in re.findall(r"\w+", unicodedata.normalize("NFC", plain)):
        if key and len(key) + len(word) >= _MOST:
            break
        key = f"{key}_{word[:_MOST]}" if key else word[:_MOST]
    return key or otherwise


def free_key(data: Data, key: str, *, but: str = "") -> str:
    """The key, with a number added if another question, check or composite already has it."""
    return free_of({*_keys(data)} - {but}, key)


def free_of(taken: Collection[str], key: str, separator: str = "_") -> str:
    """The key, with a number added if it is taken."""
    number, free = 2, key
    while free in taken:
        free, number = f"{key}{separator}{number}", number + 1
    return free


def _keys(data: Data) -> Iterator[str]:
    checks = _dict(data, "checks")
    for one in (*_dicts(data, "questions"), *_dicts(checks, "attention"), *_dicts(checks, "comprehension")):
        yield str(one.get("key"))
    yield from _dict(data, "analysis", "composites")


def is_made(key: str, question: Data) -> bool:
    """Whether a key was made from the question's label, its text or its type, so that it follows them."""
    plain = re.sub(r"_\d+$", "", key)
    made = {key_of(str(question.get(part) or "")) for part in ("label", "text")}
    return bool(made & {key, plain}) or plain in {str(question.get("type")), "question"}


def renamed(data: Data, old: str, new: str) -> Data:
    """The data with another key of a question or score, also wherever it is named."""
    data = deepcopy(data)
    for question in _dicts(data, "questions"):
        if question.get("key") == old:
            question["key"] = new
    _rewrite(data, _in_waves(lambda key: new if key == old else key))
    return data


def _in_waves(name: Rename) -> Rename:
    """The same change also for what is asked in later waves: with `support` goes `support@2`."""

    def rename(key: Any) -> Any:  # noqa: ANN401 - see Rename
        first, mark, wave = key.rpartition(MARK) if isinstance(key, str) else ("", "", "")
        if not (first and wave.isdecimal()):
            return name(key)
        new = name(first)
        return key if new == first else new and f"{new}{mark}{wave}"

    return rename


def without_key(data: Data, old: str) -> Data:
    """The data without a question or score, and without what needs it: empty scores, contrasts, checks."""
    data = deepcopy(data)
    if isinstance(data.get("questions"), list):
        data["questions"] = [one for one in data["questions"] if not isinstance(one, dict) or one.get("key") != old]
    gone = [old]
    while gone:
        name = gone.pop()
        before = set(_dict(data, "analysis", "composites"))
        _rewrite(data, _in_waves(lambda key, name=name: None if key == name else key))  # type: ignore[misc]
        gone += sorted(before - set(_dict(data, "analysis", "composites")))
    return _without_empty_parts(data)


def _without_empty_parts(data: Data) -> Data:
    return {part: value for part, value in data.items() if value != {} or part not in _PARTS}


def _rewrite(data: Data, name: Rename) -> None:
    """Change the keys of questions and scores in every part that names them."""
    _rewrite_flow(_dict(data, "flow"), name)
    for wave in _dicts(data, "waves"):
        _rewrite_pages(wave, "questionnaires", name)
    design, checks = _dict(data, "design"), _dict(data, "checks")
    _scalar(design, "adaptive", name)
    _mapping(design, "quotas", name)
    for gold in _dicts(checks, "gold"):
        _mapping(gold, "expect", name)
    _only(checks, "gold", lambda gold: bool(gold.get("expect")))
    for question in _dicts(data, "questions"):
        if not _scalar(_dict(question, "show_if"), "question", name):
            del question["show_if"]
    _rewrite_analysis(_dict(data, "analysis"), name)


def _rewrite_flow(flow: Data, name: Rename) -> None:
    for part in ("before", "after"):
        _rewrite_pages(flow, part, name)
    _list(flow, "revisit", name)
    _mapping(_dict(flow, "eligibility"), "accept", name)
    if "accept" in _dict(flow, "eligibility") and not flow["eligibility"]["accept"]:
        del flow["eligibility"]
    for trial in _dicts(flow, "practice", "trials"):
        _mapping(trial, "expect", name)


def _rewrite_pages(holder: Data, part: str, name: Rename) -> None:
    for page in _dicts(holder, part):
        _list(page, "questions", name)
    _only(holder, part, lambda page: bool(page.get("questions")))


def _rewrite_analysis(analysis: Data, name: Rename) -> None:
    _mapping(analysis, "cut", name)
    _mapping(analysis, "margin", name)
    _list(analysis, "covariates", name)
    _rewrite_composites(analysis, name)
    if isinstance(analysis.get("primary"), list):
        _list(analysis, "primary", lambda one: one if isinstance(one, dict) else name(one))
        kept = [c for c in analysis["primary"] if not isinstance(c, dict) or _all(c, ("question", "covariate"), name)]
        analysis["primary"] = kept
    believed = _dict(analysis, "believed_source")
    if not _scalar(believed, "question", name):
        del analysis["believed_source"]
    _scalar(believed, "confidence", name)
    changed = _changed(analysis)
    _only(analysis, "changes", lambda change: _all(change, ("before", "after"), name))
    gone = changed - _changed(analysis)
    _only(analysis, "primary", lambda one: one.get("question") not in gone or not _is_of_change(one))
    if not _all(_dict(analysis, "empathic_accuracy"), ("felt", "perceived"), name):
        del analysis["empathic_accuracy"]
    for part in ("primary", "composites", "changes", "covariates", "cut", "margin"):
        if part in analysis and not analysis[part]:
            del analysis[part]


def _changed(analysis: Data) -> set[str]:
    """The questions whose change since an earlier one is declared."""
    return {str(change.get("after")) for change in _dicts(analysis, "changes")}


def _is_of_change(contrast: Data) -> bool:
    """Whether a contrast tests the change of an answer; without a test, that is what its question is for."""
    test = contrast.get("test")
    return test is None or test == "pool_change_difference" or (test in TESTS and TESTS[test].compares == "change")


def _rewrite_composites(analysis: Data, name: Rename) -> None:
    composites = _dict(analysis, "composites")
    for key, composite in list(composites.items()):
        holder = composite if isinstance(composite, dict) else {"questions": composite}
        _list(holder, "questions", name)
        n = len(holder.get("questions") or ())
        if str(holder.get("at_least", "")).isdecimal() and int(holder["at_least"]) > n:
            holder["at_least"] = n
        del composites[key]
        if n and (new := name(key)) is not None:
            composites[new] = composite if isinstance(composite, dict) else holder["questions"]


def without_answers(data: Data, question: str, gone: Collection[str]) -> Data:
    """The data without what names answers that a question no longer has: contrasts, conditions, checks, quotas."""
    data = deepcopy(data)

    def name(answer: Any) -> Any:  # noqa: ANN401 - see Rename
        return None if str(answer) in gone else answer

    analysis, checks, flow = _dict(data, "analysis"), _dict(data, "checks"), _dict(data, "flow")
    believed = _dict(analysis, "believed_source")
    if believed.get("question") == question:
        _mapping(believed, "means", name)
        if not believed.get("means"):
            del analysis["believed_source"]
    _only(analysis, "primary", lambda one: one.get("question") != question or _scalar(one, "code", name))
    if str(_dict(analysis, "cut").get(question)) in gone:
        _without_cut(analysis, question)
    _accepted(_dict(data, "design"), "quotas", question, name)
    _accepted(_dict(flow, "eligibility"), "accept", question, name)
    if "accept" in _dict(flow, "eligibility") and not flow["eligibility"]["accept"]:
        del flow["eligibility"]
    for trial in (*_dicts(flow, "practice", "trials"), *_dicts(checks, "gold")):
        _accepted(trial, "expect", question, name)
    _only(checks, "gold", lambda gold: bool(gold.get("expect")))
    for one in _dicts(data, "questions"):
        condition = _dict(one, "show_if")
        if condition.get("question") == question:
            _list(condition, "one_of", name)
            if not _scalar(condition, "equals", name) or condition.get("one_of") == []:
                del one["show_if"]
    return data


def _without_cut(analysis: Data, question: str) -> None:
    """Remove the cut-off of a question, and the tests that need it: its contrasts get the default one."""
    del analysis["cut"][question]
    if not analysis["cut"]:
        del analysis["cut"]
    for contrast in _dicts(analysis, "primary"):
        if contrast.get("question") == question and contrast.get("test") in WITH_CUT:
            del contrast["test"]


def _accepted(holder: Data, field: str, question: str, name: Rename) -> None:
    """Rename the answers to a question that a mapping names, alone, as a list or with a value of each."""
    answers = _dict(holder, field)
    if isinstance(answers.get(question), dict):
        _mapping(answers, question, name)
    elif isinstance(answers.get(question), list):
        _list(answers, question, name)
    else:
        _scalar(answers, question, name)
    if question in answers and answers[question] in ({}, []):
        del answers[question]
    if field in holder and holder[field] == {} and field == "quotas":
        del holder[field]


def with_entry_renamed(data: Data, path: str, old: str, new: str | None) -> Data:
    """The data with another key of a source, pool or condition wherever it is named.

    Without a new key, what needs the old one goes too. `path` is the mapping that the key belongs to.
    """
    data = deepcopy(data)
    *outer, last = path.split(".")
    entries = _dict(data, *outer)

    def name(key: Any) -> Any:  # noqa: ANN401 - see Rename
        return new if str(key) == old else key

    _mapping(entries, last, name)
    if path == "sources":
        data = _with_source_levels(data, old, new)
    _REWRITE[path](data, name)
    return _without_empty_parts(data)


def _with_source_levels(data: Data, old: str, new: str | None) -> Data:
    """The data with another level of the conditions whose levels are sources; one that is left with one level goes."""
    for key, factor in list(_dict(data, "conditions").items()):
        if isinstance(factor, dict) and factor.get("kind") == "source":
            data = with_level_renamed(data, key, old, new)
            factor = _dict(data, "conditions", key)  # noqa: PLW2901 - the one that was changed
            for rename in (_list, _mapping):
                rename(factor, "levels", lambda level: new if level == old else level)
            if len(factor.get("levels") or ()) < 2:  # noqa: PLR2004 - what a factor varies
                data = with_entry_renamed(data, "conditions", key, None)
    return data


def _rewrite_sources(data: Data, name: Rename) -> None:
    analysis = _dict(data, "analysis")
    _scalar(analysis, "reference", name)
    _only(analysis, "primary", lambda one: _all(one, ("source", "reference"), name))
    means = _dict(analysis, "believed_source", "means")
    for code in list(means):
        _list(means, code, name)
        if means[code] == []:
            del means[code]
    for factor in _dict(data, "conditions").values():
        swaps = _dict(factor, "swaps")
        for source in list(swaps):
            _scalar(swaps, source, name)
        _mapping(_dict(factor), "swaps", name)
        if swaps and not factor["swaps"]:
            del factor["swaps"]


def _rewrite_pools(data: Data, name: Rename) -> None:
    _scalar(_dict(data, "design"), "open_pool", name)
    in_waves = [page for wave in _dicts(data, "waves") for page in _dicts(wave, "questionnaires")]
    for page in (*_dicts(data, "flow", "before"), *_dicts(data, "flow", "after"), *in_waves):
        _list(page, "pools", name)
        if page.get("pools") == []:
            del page["pools"]
    analysis = _dict(data, "analysis")
    _scalar(_dict(analysis, "empathic_accuracy"), "pool", name)
    _only(analysis, "primary", lambda one: _all(one, ("pool", "reference_pool"), name))


def _rewrite_conditions(data: Data, name: Rename) -> None:
    _rewrite_cells(data, lambda factor, level: (name(factor), level))
    _only(_dict(data, "analysis"), "primary", lambda one: _scalar(one, "factor", name))


def with_level_renamed(data: Data, factor: str, old: str, new: str | None) -> Data:
    """The data with another name of a condition's level wherever it is named; without one, what needs it goes too."""
    data = deepcopy(data)

    def name(level: Any) -> Any:  # noqa: ANN401 - see Rename
        return new if level_name(level) == old else level

    condition = _dict(data, "conditions", factor)
    for part in ("weights", "caps", "level_labels"):
        _mapping(condition, part, name)
        if condition.get(part) == {}:
            del condition[part]
    _scalar(condition, "reference_level", name)
    _rewrite_cells(data, lambda one, level: (one, name(level) if one == factor else level))
    named = {factor, condition.get("kind")}
    _only(_dict(data, "analysis"), "primary", lambda one: one.get("factor") not in named or _scalar(one, "level", name))
    return _without_empty_parts(data)


def _rewrite_cells(data: Data, name: Callable[[str, str], tuple[Any, Any]]) -> None:
    """Change the factors and levels in the conditions of questions; a question whose condition goes is always asked."""
    for question in _dicts(data, "questions"):
        if question.get("condition") is None:
            continue
        parts = [name(factor, level) for factor, level in cell_of(str(question["condition"])).levels]
        if any(None in part for part in parts):
            del question["condition"]
        else:
            question["condition"] = "; ".join("=".join(part) for part in parts)


_REWRITE: dict[str, Callable[[Data, Rename], None]] = {
    "sources": _rewrite_sources,
    "design.pools": _rewrite_pools,
    "conditions": _rewrite_conditions,
}


def _dict(data: Any, *path: str) -> Data:  # noqa: ANN401 - any value of the file
    """The mapping at a path; an empty one if there is none."""
    for step in path:
        data = data.get(step) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def _dicts(data: Data, *path: str) -> list[Data]:
    found = _dict(data, *path[:-1]).get(path[-1])
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _scalar(holder: Data, field: str, name: Rename) -> bool:
    """Rename a field; False if it was removed."""
    if holder.get(field) is None:
        return True
    new = name(holder[field])
    if new is None:
        del holder[field]
        return False
    holder[field] = new
    return True


def _all(holder: Data, fields: tuple[str, ...], name: Rename) -> bool:
    return all(_scalar(holder, field, name) for field in fields)


def _list(holder: Data, field: str, name: Rename) -> None:
    if isinstance(holder.get(field), list):
        holder[field] = [new for one in holder[field] if (new := name(one)) is not None]


def _mapping(holder: Data, field: str, name: Rename) -> None:
    if isinstance(holder.get(field), dict):
        holder[field] = {new: value for key, value in holder[field].items() if (new := name(key)) is not None}


def _only(holder: Data, field: str, keeps: Callable[[Data], bool]) -> None:
    """Keep the entries of a list that pass; the field goes with its last entry."""
    if isinstance(holder.get(field), list):
        holder[field] = [one for one in holder[field] if not isinstance(one, dict) or keeps(one)]
        if not holder[field]:
            del holder[field]
