"""What a lead looks at before raters come: one line for each check, with the field where it can be fixed."""

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, ParamSpec

from app.base.files.file_names import title_of
from app.base.files.yaml_tree import read_yaml
from app.base.language.language import language_names, note_on
from app.base.problems import Problems
from app.base.words import and_list, counted
from app.protocol.allocation.feasibility import Feasibility
from app.protocol.conversation import ConversationPartner
from app.protocol.opening import placeholders, sources_in_title
from app.protocol.study import Protocol
from app.studies.editor.preview_pages import title_of_step
from app.studies.editor.sections import QUESTIONS, section_of
from app.studies.folder.study_templates import PROTOCOL, TemplateMissingError, template_folder
from app.studies.opening_checks import (
    OpeningError,
    check_carried_out,
    check_declared,
    check_feasible,
    check_help_lines,
)
from app.studies.walk_throughs import Walk

# `stop`: the study cannot be opened. `look`: it can, and the lead should look at it first.
State = Literal["stop", "look", "good"]
N_NAMED = 5
# The titles of checks of texts whose placeholders are told together.
_TEXTS = {"flow.consent.text": "Consent form", "instructions": "Instructions"}
# Raters may be told more minutes than the trials take, since other pages take time too, but hardly fewer.
_MOST_TOLD, _LEAST_TOLD = 2.5, 0.8
P = ParamSpec("P")
_MINUTES = re.compile(r"(\d+)(?:\s*(?:-|\u2013|to|bis)\s*(\d+))?\s*(?:minutes?\b|mins?\b|Minuten?\b|دقيقة|دقائق)")


@dataclass(frozen=True, slots=True)
class Fix:
    """Where something can be fixed: the name of a page's route with its parameters, and the field on it."""

    page: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the checklist. `more` are details that a lead may want to see."""

    state: State
    title: str
    words: str
    fix: Fix | None = None
    more: tuple[str, ...] = ()

    def sentence(self) -> str:
        """The line for a terminal."""
        return f"{self.title}: {' '.join((self.words, *self.more))}"


@dataclass(frozen=True, slots=True)
class Revealing:
    """A response whose words may tell who wrote it."""

    item: str
    source: str
    excerpt: str
    item_id: int | None = None


@dataclass(frozen=True, slots=True)
class Opening:
    """What is known about a study that is to be opened.

    Attributes:
        yaml: its study.yaml.
        needs: whether its design is feasible; None for a study so large that this is only computed when it is opened.
        as_written: placeholders that raters should read as they are.
        problems: those of a draft that is being edited: the path of each, and what is wrong.
        left_out: items that make no trial.
        revealing: responses that may reveal their source; None if the texts were not read.
        file_name: the spreadsheet that the texts are from; `decided` is what became of its rows that have a problem.
        minutes: reading and answering, for the most trials that one rater gets; None if this is not known.
        n_trials: that number of trials.
        low_pay: what raters get for an hour, if that is less than their platform asks for.
        walk: whether a walk-through reached the end; None where there are no walk-throughs.
        missing_models: why models cannot reply to raters, a sentence for each.
    """

    protocol: Protocol
    yaml: str
    needs: Feasibility | None
    as_written: Container[str] = ()
    problems: Sequence[tuple[str, str]] = ()
    left_out: Sequence[str] = ()
    revealing: Sequence[Revealing] | None = None
    file_name: str = ""
    decided: Sequence[str] = ()
    minutes: int | None = None
    n_trials: int = 0
    low_pay: str = ""
    walk: Walk | None = None
    missing_models: Sequence[str] = ()

    def checklist(self) -> list[Check]:
        """Every check that applies, in the order of a study's pages."""
        return [
            *self._draft(),
            *self._texts(),
            *self._words(),
            *self._placeholders(),
            *self._time(),
            *self._checks(),
            *self._trials(),
            *self._writing(),
            *self._ending(),
            *self._language(),
            *self._walk(),
        ]

    @property
    def _has_no_trials(self) -> bool:
        return self.needs is not None and not self.needs.n_seats

    def _draft(self) -> Iterator[Check]:
        for path, words in self.problems:
            section = section_of(path)
            title = section.title if section else "Design"
            yield Check("stop", title, words, place_of(path))
        if problem := _reason(check_carried_out, self.protocol, self.yaml):
            yield Check("stop", "Design", problem, Fix("show_design"))

    def _texts(self) -> Iterator[Check]:
        if self.file_name:
            state: State = "look" if any(words.endswith("(keep)") for words in self.decided) else "good"
            rows = f"Every text of {self.file_name} is used."
            if self.decided:
                rows = (
                    f"{counted(len(self.decided), 'text')} of {self.file_name} had a problem; see what became of each."
                )
            yield Check(state, "Rows of the spreadsheet", rows, Fix("show_texts"), tuple(self.decided))
        if self.left_out:
            items, names = counted(len(self.left_out), "item"), and_list(self.left_out, N_NAMED)
            words = f"{items} without the responses that a trial needs will not be shown: {names}."
            yield Check("look", "Items", words, Fix("show_items"))
        if self.revealing is None or not self.protocol.design.blind or self._has_no_trials:
            return
        if not self.revealing:
            yield Check("good", "Blinding", "No response seems to reveal who wrote it.")
            return
        n, first = len(self.revealing), self.revealing[0]
        texts = "A response may reveal who wrote it" if n == 1 else f"{n:,} responses may reveal who wrote them"
        fix = Fix("show_items") if first.item_id is None else Fix("show_item", {"item": str(first.item_id)})
        more = tuple(f"{one.item}, {one.source}: {one.excerpt}" for one in self.revealing[:N_NAMED])
        yield Check("look", "Blinding", f"{texts}. Retire the item, or use other texts.", fix, more)

    def _words(self) -> Iterator[Check]:
        protocol = self.protocol
        title = Fix("show_section", {"part": "study"}, "rater_title" if protocol.rater_title else "title")
        template = template_words(protocol.template) if protocol.template else {}
        if self.file_name and title_of(self.file_name) == protocol.title:
            words = f"It is made from the name of the file: {protocol.title}"
            yield Check("look", "Title", words, Fix("show_section", {"part": "study"}, "title"))
        if named := sources_in_title(protocol):
            models = f"{counted(len(named), 'model')}: {', '.join(named)}"
            words = f"This study is blind, but its title names {models}. Give raters another title."
            yield Check("look", "Title for raters", words, title)
        elif protocol.title_for_raters in {template.get("title"), template.get("rater_title")}:
            words = f"Still the template's: {protocol.title_for_raters}"
            yield Check("look", "Title for raters", words, title)
        else:
            yield Check("good", "Title for raters", protocol.title_for_raters, title)
        fix = Fix("show_section", {"part": "study"}, "instructions")
        if not protocol.instructions.strip():
            yield Check("look", "Instructions", "Raters get no instructions.", fix)
        elif "instructions" in self._unfilled().values():
            return  # said among the placeholders
        elif _same(protocol.instructions, template.get("instructions", "")):
            yield Check("look", "Instructions", "Still the template's, which are about its own example texts.", fix)
        else:
            yield Check(
                "good", "Instructions", f"{counted(len(protocol.instructions.split()), 'word')} of your own.", fix
            )

    def _unfilled(self) -> dict[str, str]:
        """The placeholders that raters would read, each with the path of its text."""
        return {words: at for words, at in placeholders(self.protocol).items() if words not in self.as_written}

    def _placeholders(self) -> Iterator[Check]:
        consent = self.protocol.flow.consent
        title = "Consent form"
        fix = Fix("show_section", {"part": "consent"}, "flow.consent.text" if consent else "flow.consent")
        left = self._unfilled()
        for at in dict.fromkeys(left.values()):
            words = and_list(one for one, place in left.items() if place == at)
            yield Check("stop", _TEXTS.get(at, "Placeholder"), f"Raters would read {words}.", place_of(at))
        if consent is None:
            yield Check("look", title, "Raters start without agreeing to take part.", fix)
        if problem := _reason(check_declared, self.protocol):
            yield Check("stop", title, problem, fix)
        elif consent and not any(at.startswith("flow.consent") for at in left.values()):
            yield Check("good", title, "No placeholder is left in it.", fix)

    def _time(self) -> Iterator[Check]:
        if self.minutes is None:
            return
        protocol, title = self.protocol, "Minutes and pay"
        consent = protocol.flow.consent
        fix = Fix("show_section", {"part": "consent"}, "flow.consent.text")
        usual = f"About {counted(self.minutes, 'minute')} for {counted(self.n_trials, 'trial')}"
        told = minutes_in(f"{protocol.instructions}\n{consent.text if consent else ''}")
        low_pay = f" {self.low_pay}" if self.low_pay else ""
        # The page before the first trial says it in any case.
        if told is None and consent is not None:
            yield Check("look", title, f"{usual}. Raters read how long it takes only after they consent.{low_pay}", fix)
        elif told and not self.minutes * _LEAST_TOLD <= told <= self.minutes * _MOST_TOLD:
            yield Check("look", title, f"{usual}, but raters are told {told}.{low_pay}", fix)
        elif low_pay:
            yield Check("look", title, f"{usual}.{low_pay}", Fix("show_recruitment"))
        else:
            yield Check("good", title, f"{usual}; raters are told {told or self.minutes}.", fix)

    def _checks(self) -> Iterator[Check]:
        checks = self.protocol.checks
        fix = Fix("show_section", {"part": "checks"}, "checks.flag_at")
        n = checks.n_scored
        words = f"{counted(n, 'check')}; raters are flagged after {counted(checks.flagged_at, 'failure')}."
        if not n:
            words = "None. Raters are flagged only for their speed and for patterns in their answers."
        yield Check("good", "Attention checks", words, fix)

    def _trials(self) -> Iterator[Check]:
        if self.needs is None:
            return
        fix = Fix("show_section", {"part": "assignment"}, "design.raters_per_trial")
        title = "Trials and raters"
        if self._has_no_trials:
            words = "No trials can be made yet. Add texts that have the responses a trial needs."
            yield Check("stop", title, words, Fix("show_texts"))
            return
        if problem := _reason(check_feasible, self.protocol, self.needs):
            yield Check("stop", title, problem, fix)
            return
        head, *arithmetic = self.needs.sentences()[: 1 + len(self.needs.groups)]
        state: State = "look" if self.needs.notes else "good"
        yield Check(state, title, head, fix, (*self.needs.notes, *arithmetic))

    def _writing(self) -> Iterator[Check]:
        writing = self.protocol.writing
        if writing is None:
            return
        kind = writing.words.kind
        title, fix = f"{kind.capitalize()}s", Fix("show_section", {"part": kind}, kind)
        for words in self.missing_models:
            yield Check("stop", title, words, fix)
        if not self.missing_models:
            with_whom = "with their partner" if kind == "conversation" else "their text"
            bound = "" if writing.minutes is None else f" After {_minutes(writing.minutes)}, it ends."
            yield Check("good", title, f"Raters write {with_whom} before they answer the questions.{bound}", fix)
        waits = [one.wait_minutes for one in self._people()]
        if waits:
            words = f"They wait for one for {_minutes(max(waits))} at most, so ask several to come at the same time."
            yield Check("look", title, f"Raters write with another rater. {words}", fix)
        if problem := _reason(check_help_lines, self.protocol):
            yield Check("stop", "Help lines", problem, Fix("show_section", {"part": kind}, f"{kind}.help_lines"))
        if not writing.alert_words:
            yield Check("look", title, "No words show raters whom they can turn to. Name words, and help lines.", fix)

    def _people(self) -> list[ConversationPartner]:
        """Partners who are other raters."""
        talk = self.protocol.conversation
        return [one for one in talk.partners.values() if one.is_person] if talk else []

    def _ending(self) -> Iterator[Check]:
        completion, platform = self.protocol.completion, self.protocol.recruitment.platform
        title, fix = "Completion code", Fix("show_recruitment")
        if completion.code or completion.url:
            yield Check("good", title, f"Raters get {completion.code or completion.url}.", fix)
        elif platform == "prolific":
            yield Check("look", title, "There is none. Raters from Prolific cannot be paid without one.", fix)
        elif platform is None and self.protocol.design.links != "personal":
            yield Check("look", title, "None yet. Choose on Recruitment where your raters come from.", fix)
        else:
            yield Check("good", title, "Raters who come like this need none.", fix)

    def _language(self) -> Iterator[Check]:
        fix = Fix("show_section", {"part": "study"}, "language")
        if note := note_on(self.protocol.language):
            yield Check("look", "Language", note, fix)
        else:
            code = self.protocol.language
            words = f"Buttons and messages are in {language_names().get(code.partition('-')[0], code)}."
            yield Check("good", "Language", words, fix)

    def _walk(self) -> Iterator[Check]:
        if self.walk is None:
            return
        title, fix = "Walk-through", Fix("show_study", {}, "walk-through")
        if not self.walk.is_done:
            words = "Nobody has gone through this study as a rater yet, from the consent form to the last page."
            yield Check("look", title, words, fix)
        elif self.walk.skipped:
            names = and_list([title_of_step(self.protocol, step) for step in self.walk.skipped], N_NAMED)
            yield Check("look", title, f"It reached the last page, but skipped: {names}.", fix)
        else:
            yield Check("good", title, "A walk through this design reached the last page.", fix)


def place_of(path: str) -> Fix:
    """The page and the field of a path such as `flow.consent.text` or `questions.2.text`."""
    section = section_of(path)
    if section is None:
        return Fix("show_text")
    if section.key == QUESTIONS:
        return Fix("show_questions_list")
    # The fields of a page count the entries of a list from 0.
    names = (str(int(part) - 1) if part.isdecimal() else part for part in path.split("."))
    return Fix("show_section", {"part": section.key}, ".".join(names))


@cache
def template_words(name: str) -> Mapping[str, str]:
    """What raters read of a template: `title`, `rater_title` and `instructions`; empty if there is no such template."""
    try:
        yaml = (template_folder(name) / PROTOCOL).read_text(encoding="utf-8")
    except TemplateMissingError:
        return {}
    blocks = re.findall(r"^(?:title|rater_title|instructions):.*\n(?:[ \n].*\n?)*", yaml, re.MULTILINE)
    tree = read_yaml(PROTOCOL, "".join(blocks), Problems())
    return {} if tree is None else {key: str(words) for key, words in tree.data.items()}


def minutes_in(words: str) -> int | None:
    """How many minutes a text says that the study takes: the largest number, None if it names none.

    >>> minutes_in("This takes 10 to 15 minutes."), minutes_in("Dauer: 20 Minuten"), minutes_in("soon")
    (15, 20, None)
    """
    named = [int(number) for match in _MINUTES.finditer(words) for number in match.groups() if number]
    return max(named, default=None)


def _same(one: str, other: str) -> bool:
    return one.split() == other.split()


def _reason(check: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> str | None:
    """Why a check refuses to open the study; None if it does not."""
    try:
        check(*args, **kwargs)
    except OpeningError as error:
        return str(error)
    return None


def _minutes(n: float) -> str:
    """A time in words.

    >>> _minutes(1), _minutes(2.5)
    ('1 minute', '2.5 minutes')
    """
    return f"{n:g} minute{'' if n == 1 else 's'}"
