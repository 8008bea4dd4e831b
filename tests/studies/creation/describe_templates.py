"""What each study template is, worked out from its files; `--write` saves it for the page of templates."""

import json
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from app.analysis.data.study_folder import StudyFolder
from app.analysis.document.design_words import test_words
from app.base.words import readable
from app.protocol.primary import PrimaryContrast
from app.protocol.primary_default import primary_contrasts
from app.protocol.study import Protocol
from app.studies.creation.templates import CARDS
from app.studies.folder.study_templates import list_templates
from tests.kit.templates import template_study

COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
# More names than these would not be read on a card.
MAX_NAMES = 5


def describe(name: str) -> dict[str, Any]:
    """The facts of one template that its card shows."""
    folder = template_study(name)
    protocol = folder.protocol
    asked = [question for question in protocol.questions if question.target != "rater"]
    # Marked words that support a rating belong to it.
    marks = {mark.key for rating, mark in pairwise(asked) if (rating.type, mark.type) == ("rating", "highlight")}
    return {
        "title": protocol.title,
        "kinds": list(kinds(folder)),
        "questions": [protocol.labels.question(question.key) for question in asked if question.key not in marks],
        "needs": needs(folder),
        "raters": raters(protocol),
        "minutes": minutes(protocol),
        "primary": primary(protocol),
    }


def kinds(folder: StudyFolder) -> Iterator[str]:
    protocol = folder.protocol
    yield "texts" if protocol.design.trials == "dialogue" else str(protocol.design.trials)
    if folder.responses["turns"].notna().any() or folder.items["turns"].notna().any():
        yield "dialogue"
    if any(question.target == "turn" for question in protocol.questions):
        yield "turns"
    if protocol.conditions:
        yield "experiment"
    if has_key(protocol):
        yield "key"
    if len(protocol.design.pools) > 1:
        yield "pools"


def has_key(protocol: Protocol) -> bool:
    return any(getattr(question, "correct_column", None) for question in protocol.questions)


def needs(folder: StudyFolder) -> str:
    """The texts that a study like this one needs for each item."""
    if folder.protocol.writing:
        asks = any(one.replies == "model" for one in folder.protocol.writing.all_partners.values())
        return "Items to write about" + (", and a language model" if asks else "")
    names = [folder.protocol.labels.source(key) for key in folder.protocol.sources]
    talk = folder.responses["turns"].notna().any() if names else folder.items["turns"].notna().any()
    if not names:
        return "Conversations to judge, without responses" if talk else "Texts to judge, without responses"
    what = "conversation" if talk else "response"
    count = f"{COUNTS[len(names)].capitalize()} {what}s per item"
    return f"{count}: {'; '.join(names)}" if len(names) <= MAX_NAMES else count


def raters(protocol: Protocol) -> str:
    """How many raters judge the same texts, and who they are if it matters."""
    design = protocol.design
    if not design.pools:
        return f"{design.raters_per_trial} per text"
    return "; ".join(f"{protocol.labels.pool(key)}: {design.raters_of(key)} per text" for key in design.pools)


def minutes(protocol: Protocol) -> int:
    """The time that the consent form names."""
    consent = protocol.flow.consent
    found = re.search(r"about (\d+) minutes", consent.text if consent else "")
    assert found, f"the consent form of {protocol.slug} does not say how many minutes the study takes"
    return int(found[1])


def primary(protocol: Protocol) -> list[str]:
    """The primary contrasts, those with the same test in one line."""
    lines: dict[str, list[str]] = {}
    for contrast in primary_contrasts(protocol):
        lines.setdefault(test_words(str(contrast.test)), []).append(compared(contrast, protocol))
    return [f"{test}: {', '.join(dict.fromkeys(of))}" for test, of in lines.items()]


def compared(contrast: PrimaryContrast, protocol: Protocol) -> str:
    labels = protocol.labels
    if contrast.code:
        return labels.codes[contrast.question].get(contrast.code) or readable(contrast.code)
    column, factor = contrast.attribute or contrast.covariate, contrast.factor
    by = labels.column(column) if column else labels.factors.get(factor) or readable(factor) if factor else ""
    asked = labels.question(contrast.question)
    return f"{asked} ({by})" if by else asked


def described() -> dict[str, dict[str, Any]]:
    """Every template."""
    return {template.name: describe(template.name) for template in list_templates()}


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python -m tests.studies.creation.describe_templates --write")
    CARDS.write_text(json.dumps(described(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
