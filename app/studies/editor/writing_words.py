"""What forms say of the settings of conversations and drafts, where names and documentation speak of files and keys."""

# Label, and help if that of the documentation names keys. Both kinds of writing have most of these settings.
_BOTH: dict[str, tuple[str, str | None]] = {
    "partners.server": ("Server", "Of the models that this installation knows. Empty: the first that has the model."),
    "partners.prompt": (
        "System prompt",
        "What the model is told first. Write {item} where the text of the item is to stand.",
    ),
    "partners.name": ("Name that raters see", "Empty: *Partner*."),
    "partners.temperature": ("Temperature", "Empty: that of the server."),
    "partners.reply_tokens": ("Longest reply in tokens", ""),
    "patience_seconds": (
        "Seconds to wait for a reply",
        "After that, the rater can have it tried again or go on without it.",
    ),
    "max_tokens": ("Most tokens of the study", "Prompts and replies together. Empty: the limit of the server."),
    "max_tokens_per_rater": ("Most tokens per rater", "Prompts and replies together. Empty: no limit."),
    "alert_words": (
        "Words of distress",
        "They show raters the text below, and mark for you what they wrote. An asterisk stands for any ending.",
    ),
    "alert": ("What raters then read", "Whom they can turn to. Two asterisks around words make them bold."),
    "help_lines": (
        "Help lines",
        "Raters find them below that text, by country. The study opens only if each was checked within the last year.",
    ),
    "help_lines.name": ("Who answers", ""),
    "help_lines.number": ("Telephone number", "As people dial it in the country."),
    "help_lines.url": ("Address on the web", "Starts with https://."),
    "help_lines.checked": ("Checked on", "The day on which somebody of your team made sure that the number is right."),
    "ethics": (
        "Approval to mislead raters",
        "If raters are told another partner than they have: who approved it, and under which number.",
    ),
}
_OF_CONVERSATIONS: dict[str, tuple[str, str | None]] = {
    "partners": ("Partners", "Whom raters write with, for each source."),
    "partners.replies": ("Who replies", "A person is another rater who writes about the same item."),
    "partners.opening": ("First message of the partner", "Empty: the rater begins."),
    "partners.roles": ("Roles of the two raters", "Raters get them in balanced order. The first role begins."),
    "partners.roles.task": ("What the rater in this role is told", "Two asterisks around words make them bold."),
    "partners.wait_minutes": (
        "Minutes to wait for a partner",
        "After that, raters are told that nobody came, and are paid as others.",
    ),
    "partners.when_alone": ("If nobody comes", ""),
    "partners.silence_minutes": (
        "Minutes without a sign of the partner",
        "After that, the rater is told that the partner may have left, and can go on. The partner can still come back.",
    ),
    "min_messages": ("Fewest messages", "What raters are asked to write. They can always stop earlier."),
    "max_messages": ("Most messages", None),
    "minutes": ("Most minutes", "From the rater's first message. Empty: no limit."),
    "max_characters": ("Most characters of a message", ""),
    "replies_shown": (
        "How replies appear",
        "A reply that the server's filter stops is taken back; as a whole, no part of it is ever shown.",
    ),
}
_OF_DRAFTS: dict[str, tuple[str, str | None]] = {
    "partners": ("Help", "For each source: who suggests words to raters, if anyone."),
    "partners.replies": ("Who suggests words", ""),
    "partners.suggestions": (
        "Where suggestions appear",
        "Beside it, raters take or ignore them. In place of it, they can go back: ask the model for a whole text then.",
    ),
    "min_words": (
        "Fewest words",
        "What raters are asked to write. They can stop earlier once they have written something.",
    ),
    "max_words": ("Most words", ""),
    "minutes": ("Most minutes", "From when raters first see the item. Empty: no limit."),
    "max_characters": ("Most characters", ""),
    "max_suggestions": ("Most suggestions", "How often raters can ask for one."),
}
_ALL = {
    f"{kind}.{name}": words
    for kind, own in (("conversation", _OF_CONVERSATIONS), ("draft", _OF_DRAFTS))
    for name, words in {**_BOTH, **own}.items()
}
LABELS = {setting: label for setting, (label, _) in _ALL.items()}
HELP = {setting: words for setting, (_, words) in _ALL.items() if words is not None}
# The words of options, by setting and value.
OPTIONS = {
    "conversation.partners.replies": {
        "model": "A model",
        "person": "A person: another rater",
        "none": "Nobody: raters write without replies",
    },
    "conversation.partners.when_alone": {
        "end": "They go on to the end of the study",
        "next": "They go on with the next item",
    },
    "conversation.replies_shown": {"as_written": "Piece by piece, as they are written", "whole": "As a whole"},
    "draft.partners.replies": {"model": "A model", "none": "Nobody: no help"},
    "draft.partners.suggestions": {"beside": "Beside the text", "inserted": "In place of the text"},
}
