"""The pages of a study, as a lead chooses among them in a preview."""

from dataclasses import dataclass

from app.protocol.cells import cells
from app.protocol.pages.steps import DONE, all_steps, questionnaire_of
from app.protocol.study import Protocol
from app.protocol.waves import WaveStep, wave_label, wave_step

# What comes before the questions of a rating page, in studies in which raters write.
WRITING = {"conversation": "Conversation", "draft": "Writing a text"}
_TITLES = {
    **WRITING,
    "consent": "Consent form",
    "eligibility": "Eligibility questions",
    "instructions": "Instructions",
    "comprehension": "Comprehension check",
    "practice": "Practice trials",
    "rating": "Rating page",
    "revisit": "Second look at the trials",
    "about": "Questions about the rater",
    "debrief": "Debriefing",
    DONE: "Last page",
}


_NOT_SHOWN = frozenset({"comprehension", "practice", "revisit"})


@dataclass(frozen=True, slots=True)
class PreviewPage:
    """One page of the preview. `cell` is the condition in which it is shown, if that makes a difference."""

    step: str
    cell: str
    title: str

    @property
    def key(self) -> str:
        """The identifier of the page in an address."""
        return f"{self.step}|{self.cell}" if self.cell else self.step


def preview_pages(protocol: Protocol) -> list[PreviewPage]:
    """The pages in the order in which raters see them, with one rating page per condition."""
    pages = []
    for step in all_steps(protocol):
        if step == "rating":
            for cell in cells(protocol.conditions):
                words = protocol.labels.condition(cell.text)
                shown = (protocol.writing.words.kind, step) if protocol.writing else (step,)
                pages += [
                    PreviewPage(one, cell.text, f"{_TITLES[one]}: {words}" if words else _TITLES[one]) for one in shown
                ]
        elif step not in _NOT_SHOWN:
            pages.append(PreviewPage(step, "", title_of_step(protocol, step)))
    return pages


def title_of_step(protocol: Protocol, step: str) -> str:
    """What a lead reads for a step of `rater_steps`."""
    if step in _TITLES:
        return _TITLES[step]
    page = questionnaire_of(protocol, step)
    title = page.title if page else ""
    if later := wave_step(step):
        return f"{title or _title_in_wave(later)} ({wave_label(protocol.waves, later.wave)})"
    name, _, number = step.partition("-")
    return title or f"Questionnaire {number} {name} the trials"


def _title_in_wave(later: WaveStep) -> str:
    if later.part.isdecimal():
        return f"Questionnaire {later.part}"
    return _TITLES[DONE] if later.part else "First page"
