"""Attention and comprehension checks in forms: a new one is ready to use, and what depends on its answers follows."""

from copy import deepcopy

from app.studies.editor.answer_codes import codes_of
from app.studies.editor.named_choices import n_checks, value_of
from app.studies.editor.nodes import Data
from app.studies.editor.question_keys import free_key
from app.studies.editor.sections import value_at, with_value

_ATTENTION, _COMPREHENSION = "checks.attention", "checks.comprehension"
KINDS = (_ATTENTION, _COMPREHENSION)
_WORDS = {
    "en": (
        "This question checks your attention. Please choose “{}”.",
        ("Never", "Rarely", "Sometimes", "Often", "Always"),
    ),
    "de": (
        "Diese Frage prüft die Aufmerksamkeit. Bitte wählen Sie „{}“.",
        ("Nie", "Selten", "Manchmal", "Oft", "Immer"),
    ),
}
_RIGHT = 3


def with_new_check(data: Data, path: str) -> Data:
    """The data with one more check of this kind. Words that raters would not understand wait in square brackets."""
    language = str(data.get("language") or "en").partition("-")[0]
    text, answers = _WORDS.get(language, _WORDS["en"])
    checks = [*(value_at(data, path) or ())]
    if path == _ATTENTION:
        codes = {str(place): words for place, words in enumerate(answers, 1)}
        words = text.format(answers[_RIGHT])
        new = {
            "key": free_key(data, "attention"),
            "text": words if language in _WORDS else f"[{words}]",
            "codes": codes,
            "correct": str(_RIGHT + 1),
            "after": _middle(data),
        }
    else:
        new = {
            "key": free_key(data, "comprehension"),
            "text": "[A question about your instructions]",
            "codes": {"right": "[The right answer]", "wrong": "[A wrong answer]"},
            "correct": "right",
        }
    return with_value(data, path, [*checks, new])


def _middle(data: Data) -> int:
    """Half of a rater's trials: a check at the end would find nobody in time."""
    n = value_at(data, "design.trials_per_rater")
    return max(1, int(n) // 2) if str(n).isdecimal() else 1


def with_checks_that_fit(before: Data, data: Data) -> Data:
    """The data after checks were edited: each has a key and says its right answer, and enough of them can fail."""
    checks = data.get("checks")
    if not isinstance(checks, dict) or before.get("checks") == checks:
        return data
    data = deepcopy(data)
    for path in KINDS:
        found = value_at(data, path)
        for place, check in enumerate(found if isinstance(found, list) else ()):
            if isinstance(check, dict):
                old: Data = next((one for one in value_at(before, path) or () if _has_key(one, check.get("key"))), {})
                found[place] = _fitting(data, path, old, check)
    if not n_checks(data):
        data = with_value(data, "checks.flag_at", None)
    elif str(flag_at := value_of(data, "checks.flag_at")).isdecimal():
        data["checks"]["flag_at"] = min(int(flag_at), n_checks(data))
    return data


def _has_key(check: object, key: object) -> bool:
    return isinstance(check, dict) and key is not None and check.get("key") == key


def _fitting(data: Data, path: str, old: Data, check: Data) -> Data:
    check = {"key": check.get("key") or free_key(data, path.rpartition(".")[2])} | check
    codes = codes_of(check)
    if check.get("correct") is not None and str(check["correct"]) not in codes:
        del check["correct"]
    words = codes_of(old).get(str(old.get("correct"))), codes.get(str(check.get("correct")))
    text = str(check.get("text") or "")
    if path == _ATTENTION and words[0] and words[1] and words[0] in text and words[1] not in text:
        check["text"] = text.replace(words[0], words[1])
    return check
