"""Trials, pools and quotas as choices by label. The keys of pools and conditions are made from their names."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from app.base.words import readable
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
from app.studies.editor.question_keys import free_of, is_made, key_of, with_entry_renamed
from app.studies.editor.reading import Form
from app.studies.editor.sections import value_at, with_value
from app.studies.editor.stored_texts import Stored

POOLS, QUOTAS, LISTED = "design.pools", "design.quotas", "design.listed"
ITEM = ":item"
Rules = tuple[tuple[str, Callable[[Control, Data, Stored], Control]], ...]
_NAMES = Named(Scalar())
# Raters to admit altogether, if the design does not say so.
_RATERS = 100
# The parameter of a link that quotas can be set for without any question or column.
_IN_LINK = Option("site", "The link: ?site=…")


def with_chosen_items(data: Data, form: Form, stored: Stored) -> Form:
    """The form with the first responses to an item in each listed trial for which another item was chosen."""
    chosen_now: dict[str, list[str]] = {}
    for name, values in form.items():
        row = name.removesuffix(ITEM)
        if row != name and row.startswith(f"{LISTED}."):
            before = _item_of(lines_of(value_of(data, row)), stored)
            if values[-1] != before and values[-1] in stored.responses:
                chosen_now[row] = ["", *_first(stored.responses[values[-1]])]
    return {**form, **chosen_now}


def with_design_that_fits(before: Data, data: Data, stored: Stored) -> Data:
    """The data with keys renamed after changed names, and without references to parts that were removed."""
    for path, otherwise in _KEYED.items():
        there = named_of(_NAMES, value_at(data, path))
        for key, old in named_of(_NAMES, value_at(before, path)).items():
            if key not in there and path == "sources" and key in stored.used:
                data = with_value(data, path, {**there, key: old})
            elif key not in there:
                data = with_entry_renamed(data, path, key, None)
            elif key not in stored.fixed.get(path, ()):
                data = _with_key_of_label(data, path, key, old, otherwise)
    return _with_responses_of_items(before, _with_quotas_that_fit(before, _with_two_roles(data), stored))


def _with_two_roles(data: Data) -> Data:
    """The data with both roles of raters who write with each other."""
    for source, partner in named_of(_NAMES, value_at(data, PARTNERS)).items():
        if isinstance(partner, dict) and partner.get("replies") == "person":
            roles = named_of(_NAMES, partner.get("roles"))
            missing = [key for key in _ROLES if key not in roles][: max(0, len(_ROLES) - len(roles))]
            added = {key: {"label": readable(key)} for key in missing}
            data = with_value(data, f"{PARTNERS}.{source}.roles", {**roles, **added}) if added else data
    return data


def _with_key_of_label(data: Data, path: str, key: str, old: object, otherwise: str) -> Data:
    entries = named_of(_NAMES, value_at(data, path))
    label = label_of(key, entries[key])
    if label == label_of(key, old) or not is_made(key, {"label": label_of(key, old)}):
        return data
    new = free_of({*entries} - {key}, key_of(label, otherwise))
    return data if new == key else with_entry_renamed(data, path, key, new)


def _with_quotas_that_fit(before: Data, data: Data, stored: Stored) -> Data:
    """Quotas without values that were left empty, and with the values of what they are for."""
    quotas, old = value_at(data, QUOTAS), value_at(before, QUOTAS)
    if not isinstance(quotas, dict) or quotas == old:
        return data
    fitted = {}
    for key, there in quotas.items():
        known = [one.value for one in _values(key, data, stored)]
        numbers = {value: n for value, n in named_of(_NAMES, there).items() if n not in (None, "")}
        if key not in named_of(_NAMES, old) and known:
            numbers = {value: n for value, n in numbers.items() if value in known} or _even(data, known)
        fitted[key] = numbers
    return with_value(data, QUOTAS, fitted)


def _even(data: Data, values: Iterable[str]) -> dict[str, int]:
    """As many raters of each value."""
    known, most = list(values), value_at(data, "design.max_raters")
    n = int(most) if str(most).isdecimal() else _RATERS
    return {value: max(1, n // len(known)) for value in known}


def _with_responses_of_items(before: Data, data: Data) -> Data:
    """Practice and gold trials of another item than before show its responses, not those that were ticked before."""
    for path in ("flow.practice.trials", "checks.gold"):
        rows, old = value_at(data, path), value_at(before, path)
        if not isinstance(rows, list) or rows == old:
            continue
        items = {str(response): one.get("item") for one in old or () for response in lines_of(one.get("responses"))}
        fitted = []
        for row in rows:
            responses = lines_of(row.get("responses"))
            moved = any(response in items and items[response] != row.get("item") for response in responses)
            fitted.append({name: value for name, value in row.items() if name != "responses"} if moved else row)
        data = with_value(data, path, fitted)
    return data


def _with_new_pool(data: Data, stored: Stored) -> Data:  # noqa: ARG001 - as the others
    pools = named_of(_NAMES, value_at(data, POOLS))
    key = free_of({*pools}, "new_pool")
    return with_value(data, POOLS, {**pools, key: {"label": readable(key)}})


def _with_new_quota(data: Data, stored: Stored) -> Data:
    quotas = named_of(_NAMES, value_at(data, QUOTAS))
    key = next((one.value for one in _quota_options(data, stored) if one.value not in quotas), None)
    if key is None:
        return data
    known = [one.value for one in _values(key, data, stored)]
    return with_value(data, QUOTAS, {**quotas, key: _even(data, known or ["a", "b"])})


def _with_new_trial(data: Data, stored: Stored) -> Data:
    there = value_at(data, LISTED)
    rows = list(there) if isinstance(there, list) else []
    items = {_item_of(lines_of(row), stored) for row in rows}
    item = next((key for key in stored.responses if key not in items), next(iter(stored.responses), None))
    return data if item is None else with_value(data, LISTED, [*rows, _first(stored.responses[item])])


PARTNERS, _ROLES = "conversation.partners", ("seeker", "supporter")
_OF_MODEL = frozenset({"model", "server", "prompt", "temperature", "reply_tokens", "suggestions"})
_OF_PERSON = frozenset({"roles", "wait_minutes", "when_alone", "silence_minutes"})
# The fields of a partner that say nothing about whoever replies; a person has the name of a role.
_NOT_OF = {"model": _OF_PERSON, "person": _OF_MODEL | {"name", "opening"}, "none": _OF_MODEL | _OF_PERSON}


def _partner(control: Control, data: Data, stored: Stored) -> Control:  # noqa: ARG001 - as the other rules
    """Who replies, and what can be said of them; what was said of another partner is shown until it is removed."""
    fields = fields_of(control)
    replies = replace(fields.pop("replies"), is_set=True)
    hidden = _NOT_OF.get(replies.value, frozenset())
    shown = (one for name, one in fields.items() if name not in hidden or one.is_set)
    return replace(control, children=(replies, *shown))


def _roles(control: Control, data: Data, stored: Stored) -> Control:
    return replace(labelled_rows(control, data, stored), is_open=False)


# What is added ready to use.
NEW: dict[str, Callable[[Data, Stored], Data]] = {
    POOLS: _with_new_pool,
    QUOTAS: _with_new_quota,
    LISTED: _with_new_trial,
}
# The mappings whose keys are made from labels, with the key of a label without letters.
_KEYED = {"sources": "source", POOLS: "pool", "conditions": "condition"}


def _first(responses: Mapping[str, str]) -> list[str]:
    return list(responses)[:2]


def _item_of(responses: Iterable[str], stored: Stored) -> str:
    """The item that the responses are to."""
    return next((item for one in responses for item, of in stored.responses.items() if one in of), "")


def _listed(control: Control, data: Data, stored: Stored) -> Control:
    if not stored.items:
        return replace(control, is_open=bool(control.children), is_set=bool(control.children))
    rows = []
    for row in control.children:
        item = _item_of(chosen(row), stored)
        choice = Control(f"{row.name}{ITEM}", "", "Item", "choice", value=item)
        responses = _responses(replace(row, label="Responses", is_set=True), item, data, stored)
        fields = (select(choice, stored.items, None, is_required=True), responses)
        rows.append(replace(row, label=row.label.replace("Listed", "Trial"), shape="part", children=fields))
    label = "Trials that are listed one by one"
    return replace(control, label=label, help="Without a list, all trials that fit are rated.", children=tuple(rows))


def _responses(control: Control, item: str, data: Data, stored: Stored) -> Control:
    sources = named_of(_NAMES, data.get("sources"))
    of = stored.responses.get(item, {})
    options = [Option(key, label_of(source, sources.get(source))) for key, source in of.items()]
    return replace(ticks(control, options, chosen(control)), is_required=True)


def _responses_of_item(control: Control, data: Data, stored: Stored) -> Control:
    item = str(value_of(data, control.name.replace(".responses", ".item")) or "")
    if not stored.items:
        return control
    return replace(_responses(control, item, data, stored), is_required=False, help="None ticked: as in other trials.")


def _item(control: Control, data: Data, stored: Stored) -> Control:  # noqa: ARG001 - as the other rules
    if not stored.items:
        return control
    return replace(control, shape="choice", options=(Option("", "Choose an item"), *stored.items))


def _adaptive(control: Control, data: Data, stored: Stored) -> Control:  # noqa: ARG001 - as the other rules
    options = [Option(str(one["key"]), title_of(one)) for one in questions_about(data) if one.get("type") == "choice"]
    help_ = "With three or more sources and few raters: each pair is the one that tells most, given the answers so far."
    choice = select(control, options, "No", label="Choose pairs by the answers to")
    return replace(choice, help=help_, is_set=bool(control.value))


def _open_pool(control: Control, data: Data, stored: Stored) -> Control:  # noqa: ARG001 - as the other rules
    options = entry_options(data, POOLS)
    choice = select(control, options, "None: only raters with an invitation", label="Pool of the open link")
    return replace(choice, is_set=bool(options))


def _block_column(control: Control, data: Data, stored: Stored) -> Control:
    options = [Option(name, column_words(data, name)) for name in stored.columns.items]
    help_ = "The trials of one value make a block. The order of the blocks is balanced across raters."
    return replace(select(control, options, "None: blocks of one size", label="Column of the items"), help=help_)


def _strata(control: Control, data: Data, stored: Stored) -> Control:
    options = [Option(name, column_words(data, name)) for name in stored.columns.items]
    shown = ticks(control, options, chosen(control))
    help_ = "The share is drawn from the items of each combination of values. None ticked: from all items together."
    return replace(shown, label="Drawn by", help=help_, is_set=bool(options or control.value))


def column_words(data: Data, name: str) -> str:
    """The label of a column."""
    return str(value_of(data, f"attributes.{name}.label") or readable(name))


def labelled_rows(control: Control, data: Data, stored: Stored) -> Control:  # noqa: ARG001 - as the other rules
    """Entries that are shown by their label, from which the key is made."""
    rows = []
    for row in control.children:
        fields = fields_of(row)
        label = replace(fields["label"], label="Name", standard=readable(row.key), is_required=True, help="")
        rest = [one for name, one in fields.items() if name != "label"]
        rows.append(replace(row, key_name="", label=label.value or label.standard, children=(label, *rest)))
    return replace(control, children=tuple(rows))


def _page_pools(control: Control, data: Data, stored: Stored) -> Control:  # noqa: ARG001 - as the other rules
    options = entry_options(data, POOLS)
    shown = ticks(control, options, chosen(control))
    return replace(shown, help="None ticked: all raters." if options else "", is_set=bool(options or control.value))


def _quota_options(data: Data, stored: Stored) -> list[Option]:
    """What raters can be counted by: questions about them with listed answers, their columns, and their link."""
    questions = [one for one in questions_about(data, rater=True) if answers_of(one)]
    columns = (name for name in stored.columns.raters if name != _IN_LINK.value)
    return [
        *(Option(str(one.get("key")), title_of(one)) for one in questions),
        *(Option(name, column_words(data, name)) for name in columns),
        _IN_LINK,
    ]


def _values(key: str, data: Data, stored: Stored) -> list[Option]:
    question = next((one for one in questions_about(data, rater=True) if one.get("key") == key), {})
    return answers_of(question) or [Option(value, value) for value in stored.columns.values.get(key, ())]


def _quotas(control: Control, data: Data, stored: Stored) -> Control:
    options = _quota_options(data, stored)
    known = {one.value for one in options}
    options += [Option(row.key, readable(row.key)) for row in control.children if row.key and row.key not in known]
    rows = tuple(_quota(row, _values(row.key, data, stored)) for row in control.children)
    help_ = (
        "How many raters to admit with each answer or value. Raters with a value that is not listed are not admitted."
    )
    return replace(control, options=tuple(options), children=rows, help=help_)


def _quota(row: Control, values: Iterable[Option]) -> Control:
    """How many raters to admit with each value: of the listed ones, or of values that are written beside."""
    words = {one.value: one.words for one in values}
    written = tuple(replace(one, key_label="Value in the link") for one in row.children)
    shown = numbers_by(row, words) if words else replace(row, children=written)
    return replace(shown, label="How many raters", key_label="Raters are counted by")


def numbers_by(control: Control, words: Mapping[str, str]) -> Control:
    """A number for each of some values, which are shown by their words."""
    there = {row.key: row for row in control.children if row.key}
    rows = []
    for number, value in enumerate([*there, *(value for value in words if value not in there)]):
        new = Control(f"{control.name}.{number}", f"{control.path}.{value}", "", "number")
        row = replace(there.get(value, new), label=words.get(value) or readable(value), is_new=False)
        rows.append(replace(row, key=value, key_name=f"{row.name}:key", is_set=True, is_required=True))
    drawn = "|".join((control.key, *(row.key for row in rows)))
    return replace(control, shape="answers", drawn=drawn, help="", children=tuple(rows))


RULES: Rules = (
    (r"design\.listed", _listed),
    (r"design\.adaptive", _adaptive),
    (r"design\.open_pool", _open_pool),
    (r"design\.human_sample\.stratify", _strata),
    (r"design\.blocks\.column", _block_column),
    (r"design\.pools", labelled_rows),
    (r"(conversation|draft)\.partners\.\d+", _partner),
    (r"conversation\.partners\.\d+\.roles", _roles),
    (r"design\.quotas", _quotas),
    (r"(flow\.(before|after)|waves\.\d+\.questionnaires)\.\d+\.pools", _page_pools),
    (r"(flow\.practice\.trials|checks\.gold)\.\d+\.item", _item),
    (r"(flow\.practice\.trials|checks\.gold)\.\d+\.responses", _responses_of_item),
)
