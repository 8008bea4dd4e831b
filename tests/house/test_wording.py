"""Outdated phrases must not come back in pages, messages, docstrings or docs."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXTS = sorted(
    [
        *(ROOT / "app").rglob("*.py"),
        *(ROOT / "app/study_templates").rglob("*.yaml"),
        *(ROOT / "app/base/language/catalogues").glob("*.po"),
        *(ROOT / "templates").rglob("*.html"),
        *(ROOT / "static").rglob("*.js"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    ]
)
# The outdated phrase as a pattern, and what to write instead.
OUTDATED = {
    r"\bone (row|column|line) an? [a-z]": "one row per answer",
    r"estimates elsewhere|figures elsewhere": "Download results",
    r"figures are being made|estimates are being made": "Computing the results",
    r"tell the two apart": "Inconclusive: the 95% CI includes zero",
    r"not yours to see": "The page may have been deleted, or you may not have access to it",
    r"not your fault": "Something went wrong on our side",
    r"tells you from other people": "participant ID",
    r"stand in random order": "appear in random order",
    r"\bThey are equal\b": "About the same",
    r"Why do you skip": "Why are you skipping this?",
    r"take your answers back": "withdraw your answers",
    r"is sent already": "already submitted",
    r"would take for a formula": "Safe to open in Excel",
    r"told right": "Proportion correctly identified",
    r"\bin two camps\b": "split opinions",
    r"believed less where": "Belief effect",
    r"Chance to be rated higher": "Probability of superiority",
    r"[Ww]ho has begun may|nobody new can": "raters who have started can finish",
    r"\d % interval": "95% CI",
    r"\bhimself\b": "themselves",
    r"\b(MOST|FEWEST|USUAL)_[A-Z]": "MAX_, MIN_, DEFAULT_",
    r"\bsaid in words\b": "shown as words, explained, reported",
    r"\b(fall|falls|fallen) silent\b": "stops responding",
    r"\b(came of|comes of) (it|a run)\b": "the outcome",
    r"\b(can|could|to) mend\b": "fix",
    r"# fmt: skip": "the formatter decides",
    r"not statistically clear: the interval|interval includes no difference": "Inconclusive: the 95% CI includes zero",
    r"[Oo]ne in twenty": "If no true differences existed, about 2 of these 33 tests would still have p < .05",
    r"studies (of empathy )?usually report": "what the coefficient means, or a publication",
    r"\bgoes from .* to \{|\"At equal length": "Adjusted for length: 59.3% (unadjusted 66.7%)",
    r"are accounted for \(": "Data integrity check passed",
    r"of \{n_seats:,\} ratings|of \d+ ratings \(\d": "144 of 216 trials rated (67%)",
    r"'rater'\)\} answered: |\d raters answered: ": "Twelve raters took part (all simulated)",
    r"The cut-off of ": "Ratings of 4 or 5 counted as high on ...",
    r"First numbers\b": "Preliminary results (human raters only)",
    r"They hold \{": "Intervals generalize to new items and raters unless stated otherwise",
    r"does the person who wrote the message feel by": "How understood would the writer feel ...",
    r"sees the situation as this person sees it": "the situation from this person's point of view",
    r"\b(can|could) do harm": "can be harmful",
    r"How far would you trust": "How much would you trust",
    r"goe?s? to other people": "offered to other participants",
    r"missing or not possible\"": "Please check 2 answers",
    r"Skipping has no disadvantage": "You will not be penalized for skipping",
    r"[\"( ](As|Not as) expected\.|answers? (was|were) as expected": "Matches our answer. / Differs from our answer.",
    r"sends them again by itself|\bcoming at once": "keep this page open; it will retry / The study is very busy",
    r"What remains is a note": "We keep only a deletion record (receipt number, time)",
    r"contact no other company": "share no data with third parties",
    r" and more</summary>": "Actions",
    r"\"Other minutes\"|[Dd]ifference that matters": "Smallest effect size of interest",
    r">What it takes<": "Cost and effort",
    r"difference here minus": "Interaction (difference in differences)",
    r"Nothing is deleted by itself|deleted by itself two days": "Attune does not delete the study unless ...",
    r"Becomes the name of their account|link to pass on": "They sign in with this address",
    r"take no rater's seat": "do not use rater places",
    r"statements about the scheme": "X-Forwarded-* headers",
    r"^# Who may do what": "Roles and permissions",
    r"must have its own number|title must contain words": "must be unique, must not be blank",
    r"\}\} (open )?seat|>[^<{]*\bseats?\b[^<{]*<|\"(all )?seats (were|are) ": "place, on pages",
    r"Ratings per trial": "Raters per trial; a rating is one value, a trial is rated",
}


@cache
def texts() -> dict[Path, str]:
    return {path: path.read_text(encoding="utf-8") for path in TEXTS}


@pytest.mark.parametrize("pattern", OUTDATED)
def test_outdated_phrase_does_not_return(pattern: str) -> None:
    # A text in which the pattern is nowhere, which is nearly all, is not searched line by line.
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path, words in texts().items()
        if re.search(pattern, words, re.MULTILINE)
        for number, line in enumerate(words.splitlines(), start=1)
        if re.search(pattern, line)
    ]
    assert found == [], f"write instead: {OUTDATED[pattern]}"


def test_checked_texts_are_found() -> None:
    assert len(TEXTS) > len(OUTDATED)
