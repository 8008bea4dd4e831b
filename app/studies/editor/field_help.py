"""What forms say of a setting where its documentation speaks of files, keys or commands."""

import re
from dataclasses import replace

from app.protocol.waves import SECOND
from app.studies.editor import writing_words
from app.studies.editor.controls import Control

# By the path of the setting, without the numbers of entries.
_HELP = {
    **writing_words.HELP,
    "completion.otherwise": "For raters who do not consent, are not eligible, fail a check, or find the study full.",
    "title": "What you call the study, and what raters read unless they get a title of their own.",
    "instructions": "What raters read before they start. Two asterisks around words make them bold; a line that starts "
    "with “- ” becomes a list item.",
    "design.trials": "The default: all responses if a question ranks them, otherwise pairs if every item has two "
    "responses, otherwise one response.",
    "design.trials_per_rater": "The most that one rater gets. Empty: all.",
    "design.blind": "Raters are not told who wrote a response.",
    "design.repeats": "Trials that each rater gets a second time, to see how consistent the answers are.",
    "design.pools": "Groups of raters with their own number of trials, such as experts and crowd workers.",
    "design.lease_minutes": "For a rater who does nothing. After that, the trials are offered to other raters.",
    "design.seed": "The same number gives the same random orders.",
    "design.reveal": "Show a dialogue as a whole, or its turns one at a time, each with the questions about it. All "
    "other questions follow at the end. Answers count once the rater submits the whole trial.",
    "design.order": "The order of a rater's trials. Fixed: as in your spreadsheet.",
    "design.human_sample": "People rate a random sample of the items, model judges all of them. Each item's "
    "probability is stored with the results.",
    "design.links": "Any: raters arrive with a participant ID, which others may guess. Personal: only raters with a "
    "link that you made for them, which works on any device.",
    "design.pools.raters_per_trial": "Raters from this pool per trial. Empty: as above.",
    "design.pools.trials_per_rater": "The most trials per rater in this pool. Empty: as above.",
    "design.pools.items": "All items; a rater's own items, which the column *rater* of your spreadsheet names; or "
    "items of the pool, which the column *pool* names.",
    "raters.identity": "Unknown, if the ratings come from a spreadsheet that does not say which person gave which "
    "rating. The report then has no section about single raters.",
    "monitoring.looks": "When the primary comparison is tested before the end, as shares of the planned answers: 0.5 "
    "and 1 for one look half-way. The last is 1.",
    "monitoring.n_ratings": "Answers to the question of the primary comparison, if all come in.",
    "monitoring.spending": "How the error rate is spent over the looks: little at first, or evenly.",
    "questions.help": "Raters read it below the question.",
    "questions.reversed": "A score from several questions counts it in reverse.",
    "questions.orientation": "The same on every screen, because it changes answers.",
    "questions.labels_shown": "The same on every screen, because it changes answers.",
    "questions.points": "What raters give to the responses must add up to this number.",
    "questions.typing_rhythm": "Pasted characters are counted too. The consent form must say so.",
    "questions.required": "The default: yes, but for free text and marked passages.",
    "questions.level": "How agreement treats the distances between points.",
    "flow.practice.trials.expect": "What counts as correct. With several responses or turns, all answers must be.",
    "checks.gold.item": "It is used only for this check.",
    "checks.gold.expect": "What counts as correct. With several responses or turns, all answers must be.",
    "conditions.blocks": "One level after another, in an order that is balanced across raters.",
    "conditions.weights": "How many raters get each level, relative to the others.",
    "conditions.caps": "The most raters per level.",
    "waves": "When raters come back, and which questions they answer again. There are no trials in a later wave.",
    "waves.days": "Counted from the day on which a rater finished the first wave.",
    "waves.label": "On your pages and in charts. Empty: its number.",
    "waves.earliest": "Raters can answer from this day on, also counted from the first wave. Empty: the day above.",
    "waves.latest": "Counted in the same way. Empty: until the next wave, if there is one.",
    "waves.text": "Two asterisks around words make them bold.",
    "waves.questionnaires": "None: all questions about the rater again.",
    "waves.reminder": "You find it on *Recruitment*, to send it on the platform.",
    "waves.completion": "On Prolific, each wave is a study of its own with its own code.",
    "flow.consent.version": "Stored with each agreement. Change it when you change the text.",
    "flow.consent.text": "What raters agree to. Two asterisks around words make them bold.",
    "flow.eligibility": "Questions whose answers decide who can take part. Without them, everyone who agrees to "
    "the consent form can.",
    "flow.help": "Shown on every page, such as the number of a crisis line.",
    "flow.exposure_cap": "Raters who would get more trials with a content note get a shorter list. A hidden repeat may "
    "show one once more.",
    "flow.consent.records_keystrokes": "Tick this if the text says so. The page adds what is recorded of drafts.",
    "draft.keystrokes": "When, where and how much is changed, not which characters. The consent form must say so "
    "first.",
    "flow.consent.records_typing": "Tick this if the text tells raters that keys pressed and characters pasted are "
    "counted. A study that counts them can be opened only then.",
}
# Settings whose label says what they are.
_SAID_BY_LABEL = frozenset(
    {
        "completion.text",
        "design.raters_per_trial",
        "flow.consent",
        "flow.consent.agree",
        "flow.consent.refuse",
        "flow.practice.trials.item",
        "questions.cannot_judge",
        "questions.comment",
        "questions.condition",
        "questions.max",
        "questions.max_length",
        "questions.max_words",
        "questions.min",
        "questions.min_length",
        "questions.min_words",
        "questions.multiple",
        "questions.neither",
        "questions.step",
        "questions.tie",
        "questions.ties",
    }
)
_LABELS = {
    **writing_words.LABELS,
    "monitoring.n_ratings": "Planned answers",
    "monitoring.blind_interim": "Hide estimates until the study closes",
    "design.trials": "What one page shows",
    "design.lease_minutes": "Minutes that places are kept",
    "design.seed": "Random seed",
    "monitoring.looks": "Interim looks",
    "monitoring.spending": "Alpha spending",
    "analysis.many_facet": "Severity of each rater",
    "raters.identity": "Which rater gave which rating",
    "privacy.delete_at_retention": "Delete the study at its retention date",
    "flow.consent.agree": "Button to agree",
    "flow.consent.refuse": "Button to decline",
    "flow.consent.records_typing": "The text says that typing is recorded",
    "flow.consent.records_keystrokes": "The text says that changes of drafts are recorded",
    "draft.keystrokes": "Record keystrokes",
    "flow.help": "Where raters find help",
    "flow.skip_reasons": "Reasons for skipping",
    "flow.exposure_cap": "Most trials with a content note",
    "flow.revisit": "Questions asked after the last trial",
    "layout": "Questions with one scale",
    "render": "Formatting of responses",
    "completion.code": "Completion code",
    "completion.url": "Address to return to",
    "completion.text": "Thank-you message",
    "completion.otherwise": "Other endings",
    "completion.otherwise.url": "Address to return to",
    "flow.before": "Pages before the trials",
    "flow.after": "Pages after the trials",
    "waves": "Waves",
    "waves.label": "Name",
    "waves.days": "Days after the first wave",
    "waves.earliest": "First day",
    "waves.latest": "Last day",
    "waves.text": "What raters read when they come back",
    "waves.questionnaires": "Pages of questions",
    "waves.reminder": "Reminder",
    "waves.completion": "At the end",
    "waves.completion.code": "Completion code",
    "waves.completion.url": "Address to return to",
    "waves.completion.text": "Thank-you message",
}
# What an entry of a list is called, and the number of its first one.
_ENTRIES = {
    "flow.before": ("page", 1),
    "flow.after": ("page", 1),
    "waves": ("wave", SECOND),
    "waves.questionnaires": ("page", 1),
}
# By the path of the setting, and by the value.
_OPTIONS = {"monitoring.spending": {"obrien_fleming": "O'Brien and Fleming"}, **writing_words.OPTIONS}


def in_words_of_forms(control: Control) -> Control:
    """A control with the label, the options and the help that forms have in place of those of the documentation.

    >>> in_words_of_forms(Control("checks.gold.0.item", "", "Item", "line", help="The ID in items.csv.")).help
    'It is used only for this check.'
    >>> in_words_of_forms(Control("questions.2.min", "", "Lowest number", "line", help="Lowest value.")).help
    ''
    """
    setting = re.sub(r"\.\d+(?=\.)", "", control.name)
    of_list, _, number = setting.rpartition(".")
    if number.isdecimal() and of_list in _ENTRIES:
        entry, first = _ENTRIES[of_list]
        label = f"New {entry}" if control.is_new else f"{entry.capitalize()} {int(number) + first}"
        return replace(control, label=label)
    words = _OPTIONS.get(setting, {})
    options = tuple(replace(one, words=words.get(one.value, one.words)) for one in control.options)
    help_ = "" if setting in _SAID_BY_LABEL else _HELP.get(setting, control.help)
    return replace(control, label=_LABELS.get(setting, control.label), help=help_, options=options)
