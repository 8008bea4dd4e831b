"""Rules that find sources, questions, scales, contrasts and numbers in the English of Methods sections."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.studies.methods.guesses import Guess, in_order
from app.studies.methods.methods_text import (
    RATED,
    RATERS,
    THINGS,
    N,
    check_text,
    number_of,
    sentences_of,
)
from app.studies.methods.question_rules import composites_in, questions_in


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found: guesses to confirm, what needs no setting, each with its sentence, and what was not found."""

    guesses: tuple[Guess, ...]
    said: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]


def read_methods(text: str) -> Reading:
    """What the rules find in a text.

    Raises:
        MethodsError: see `check_text`.
    """
    check_text(text)
    sentences = sentences_of(text)
    guesses = [*questions_in(sentences)]
    for sentence in sentences:
        guesses += [*_sources(sentence), *_counts(sentence), *_design(sentence), *_prose(sentence)]
    guesses += composites_in(sentences, guesses)
    guesses = in_order(guesses)
    guesses += _contrasts(sentences, guesses)
    found = in_order(guesses)
    return Reading(tuple(found), tuple(_needs_nothing(sentences)), tuple(missing_in(found)))


def missing_in(guesses: Sequence[Guess]) -> list[str]:
    """What a study needs and none of the guesses says."""
    there = {guess.kind for guess in guesses}
    needed = (
        ({"rating", "slider", "choice", "published"}, "what raters are asked"),
        ({"source"}, "who wrote the responses"),
        ({"layout"}, "whether a page shows one response or two"),
        ({"raters_per_trial"}, "how many raters rate each response"),
        ({"contrast"}, "the comparison that the study is about"),
        ({"exclusion"}, "rules for leaving out raters or ratings"),
        ({"sample_size"}, "the reason for the sample size"),
    )
    return [words for kinds, words in needed if not kinds & there]


# Sources.

_MODELS = re.compile(
    r"\b(?:Chat)?GPT[- ]?\d?(?:\.\d)?o?(?:[- ](?:turbo|mini|Turbo))?(?![\w])|\bChatGPT(?:[- ][\d.]+)?|\bClaude(?:[- ][\d.]+)?(?: (?:Opus|Sonnet|Haiku))?"
    r"|\bL[Ll]a[Mm][Aa][- ]?\d?(?:\.\d)?(?:-\d+B)?|\bGemini(?: (?:Pro|Ultra|[\d.]+))*|\bMi[sx]tral(?:-\w+)?|\bPaLM ?2?|\bDeepSeek(?:-\w+)?"
    r"|\bQwen[\d.]*|\bBlenderBot(?: \d)?|\bDialoGPT|\bReplika|\bWoebot|\bHAILEY|\bBard\b|\bBing Chat\b|\bCopilot\b|\bAlpaca\b|\bVicuna\b|\bMed-PaLM\b"
)
_WRITERS = r"physician|doctor|counsell?or|therapist|clinician|nurse|psychologist|peer supporter|crowd ?worker|expert|human|professional|volunteer|person|people|layperson|listener"
_HUMAN = re.compile(
    rf"\b({_WRITERS})s?(?:['’]s?)?[- ](?:written |authored |generated |composed )?(?:responses?|repl(?:y|ies)|answers?|messages?|baselines?|texts?)\b"
    rf"|\b(?:responses?|repl(?:y|ies)|answers?|messages?)\b(?: (?:that were|were|had been))?(?: (?:written|provided|given|composed|posted|authored))? (?:by|from|of)"
    rf" (?:\w+[- ]){{0,3}}?({_WRITERS})s?\b",
    re.IGNORECASE,
)
_VERSUS = re.compile(
    rf"\b(?:with|to|and|versus|vs\.?|against|or|than)\s+(?:the\s+|a\s+|an\s+)?({_WRITERS})s?\b", re.IGNORECASE
)


# Other names of systems: with a capital or a digit inside, after “responses from”.
_SYSTEM = re.compile(
    r"\b(?:[Rr]esponses?|[Rr]epl(?:y|ies)|[Oo]utputs?)\b[^.,;]{0,20}?\b(?:from|by)\s+([A-Z][A-Za-z]*[A-Z0-9][\w.-]*\w)"
)


def _models_in(sentence: str) -> list[str]:
    known = [found.strip(" -") for found in _MODELS.findall(sentence)]
    any_known = "|".join(map(re.escape, known))
    # The model behind a system, as in *ChatGPT (GPT-4)*, is no other source.
    known = [name for name in known if not re.search(rf"(?:{any_known})\s*\({re.escape(name)}\)", sentence)]
    others = [name for name in _SYSTEM.findall(sentence) if not any(name in one or one in name for one in known)]
    return list(dict.fromkeys([*others, *known]))


def _humans_in(sentence: str) -> list[str]:
    found = [one[0] or one[1] for one in _HUMAN.findall(sentence)]
    if not found and _models_in(sentence) and re.search(r"compar|differ|versus|\bvs\b|than", sentence, re.IGNORECASE):
        found = _VERSUS.findall(sentence)
    names = (name.lower().replace("people", "human").replace("person", "human") for name in found)
    return list(dict.fromkeys(name.capitalize() for name in names))


def _sources(sentence: str) -> Iterator[Guess]:
    is_judge = re.search(r"\b(?:as (?:a |an )?(?:judge|rater|annotator)|LLM judge)", sentence, re.IGNORECASE)
    for name in [] if is_judge else _models_in(sentence):
        yield Guess("source", sentence, {"name": name, "kind": "model"})
    for name in _humans_in(sentence):
        yield Guess("source", sentence, {"name": name, "kind": "human"})


# Numbers, layout, and what a preregistration says.

_BY_RATERS = re.compile(
    rf"\b(?:each|every|all)\s+(?:[\w-]+\s+){{0,4}}?{THINGS}\s+(?:was|were|is|are|will be)\s+(?:then\s+)?(?:independently\s+)?{RATED}\s+(?:independently\s+)?by\s+(?:at least\s+|a total of\s+)?{N}\s+(?:[\w-]+\s+){{0,5}}?{RATERS}"
    rf"|\b{N}\s+(?:[\w-]+\s+){{0,4}}?{RATERS}\s+(?:independently\s+|each\s+)?{RATED}\s+(?:each|every|all|pairs)\b"
    rf"|\b{N}\s+(?:independent\s+)?(?:ratings|judgments|annotations|{RATERS})\s+(?:per|for each)\s+{THINGS}",
    re.IGNORECASE,
)
_PER_RATER = re.compile(
    rf"\b(?:each|every)\s+(?:[\w-]+\s+)?{RATERS}\s+(?:was shown|saw|read|{RATED}|received|completed|will (?:see|rate|read))\s+(?:and {RATED}\s+)?(?:a total of\s+|up to\s+)?{N}\s+(?:[\w-]+\s+){{0,3}}?{THINGS}"
    rf"|\b{RATERS}\s+(?:each\s+)?{RATED}\s+{N}\s+(?:[\w-]+\s+){{0,3}}?{THINGS}\s+each\b",
    re.IGNORECASE,
)
_CHECKS = re.compile(rf"\b({N[1:-1]}|an?)\s+(?:[\w-]+\s+)?attention[- ]checks?\b", re.IGNORECASE)


def _counts(sentence: str) -> Iterator[Guess]:
    for kind, pattern in (("raters_per_trial", _BY_RATERS), ("trials_per_rater", _PER_RATER), ("attention", _CHECKS)):
        found = pattern.search(sentence)
        n = next((number_of(one) for one in found.groups() if one), 0) if found else 0
        if n:
            yield Guess(kind, sentence, {"n": str(n)})


_PAIRS = re.compile(
    r"\bside[- ]by[- ]side\b|\bpair(?:s|ed)? of responses\b|\bboth responses\b|\bpairwise\b|\btwo (?:\w+ )?responses\b|\b(?:two|both) repl(?:ies|y)\b",
    re.IGNORECASE,
)
_SINGLE = re.compile(
    r"\b(?:one|a single) (?:\w+ )?(?:response|reply|answer|message)s? (?:at a time|per page|each)|\bresponses? (?:was|were) (?:shown|presented) (?:one at a time|individually|in isolation)|\bone at a time\b",
    re.IGNORECASE,
)
_SET = re.compile(r"\brank(?:ed|ing)?\b[^.]*\b(?:responses|replies|answers)\b", re.IGNORECASE)
_WHOLE = re.compile(r"\b(?:whole|entire|full|complete) (?:dialogue|conversation|transcript)s?\b", re.IGNORECASE)


def _design(sentence: str) -> Iterator[Guess]:
    for trials, pattern in (("pairs", _PAIRS), ("single", _SINGLE), ("set", _SET), ("dialogue", _WHOLE)):
        if pattern.search(sentence):
            yield Guess("layout", sentence, {"trials": trials})
            return


_PROSE = (
    (
        "hypothesis",
        re.compile(
            r"\b(?:we|I)\s+(?:\w+\s+)?(?:hypothesi[sz]ed?|predict(?:ed)?|expect(?:ed)?)\b|\bH\d+[a-z]?\s*[:.)]|\b(?:our|the) (?:\w+ )?hypothes[ie]s (?:is|was|were|are)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "exclusion",
        re.compile(
            rf"\b(?:exclud\w+|remov(?:ed?|ing)|discard\w*|dropp?\w*|omit\w*)\b[^.]*\b(?:{RATERS}|ratings?|data|answers?)\b|\b(?:{RATERS}|ratings?|data)\b[^.]*\b(?:exclud\w+|removed|discarded|dropped|omitted)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "sample_size",
        re.compile(
            r"\bpower analys[ie]s\b|\bG\*Power\b|\bsample size\b|\bsmallest effect\b|\bpower of\b", re.IGNORECASE
        ),
    ),
    (
        "stopping_rule",
        re.compile(
            r"\bstopping rule\b|\bdata collection (?:will |was |is )?(?:stop|end)\w*|\bstop(?:ped)? (?:data collection|recruit\w+|collecting)\b",
            re.IGNORECASE,
        ),
    ),
)


def _prose(sentence: str) -> Iterator[Guess]:
    for kind, pattern in _PROSE:
        if pattern.search(sentence):
            yield Guess(kind, sentence, {"text": sentence})


# Contrasts.

_COMPARES = re.compile(r"\bcompar\w+|\bdiffer(?:ed|ence|ences)?\b|\bversus\b|\bvs\b\.?|\bthan\b", re.IGNORECASE)
_TESTS = (
    ("equivalence", r"\bequivalence (?:test|margin)|\bTOST\b"),
    ("non_inferiority", r"\bnon-?inferior"),
    ("t_paired", r"\bpaired(?:[- ]samples?)? t[- ]test|\bdependent t[- ]test"),
    (
        "t_unpaired",
        r"\bunpaired(?: \w+)? t[- ]test|\bindependent[- ]samples? t[- ]test|\bWelch|\btwo-sample t[- ]test|\bunpaired 2-tailed t",
    ),
    ("wilcoxon", r"\bWilcoxon signed"),
    ("mann_whitney", r"\bMann[-–]Whitney|\brank[- ]sum"),
    ("odds_ratio_clmm", r"\bcumulative link|\bordinal (?:mixed|logistic|regression)"),
    ("mean_difference_lmm", r"\b(?:linear )?mixed[- ](?:effects?|models?)|\bmultilevel model|\bhierarchical linear"),
    ("chi_square", r"\bchi[- ]squared?\b|χ2|χ²"),
)


def _contrasts(sentences: Sequence[str], guesses: Sequence[Guess]) -> list[Guess]:
    """Each model that a sentence compares with people, or else with another model, on the question that it names."""
    sources = {guess.values["name"]: guess.values["kind"] for guess in guesses if guess.kind == "source"}
    rated = [guess.values["label"] for guess in guesses if guess.kind in {"composite", "rating", "slider"}]
    is_choice = any(guess.kind == "choice" for guess in guesses)
    found = []
    is_hypothesis = _PROSE[0][1].search
    for sentence in sorted(sentences, key=lambda one: bool(is_hypothesis(one))):
        models = [name for name in _models_in(sentence) if sources.get(name) == "model"]
        people = [name for name in _humans_in(sentence) if name in sources]
        if not _COMPARES.search(sentence) or not models or len(models) + len(people) < 2:  # noqa: PLR2004 - two sources
            continue
        reference = people[0] if people else models[-1]
        test = next((name for name, words in _TESTS if re.search(words, sentence, re.IGNORECASE)), "")
        named = [one for one in rated if re.search(rf"\b{re.escape(one.split()[0])}", sentence, re.IGNORECASE)]
        asked = named[0] if named else rated[0] if rated else "Choice" if is_choice else ""
        test = test if asked != "Choice" else ""
        parts = {"question": asked, "reference": reference, "test": test}
        found += [Guess("contrast", sentence, {"source": name, **parts}) for name in models if name != reference]
    return found


# What Attune does without a setting.

_DONE = (
    (r"Krippendorff", "Krippendorff's alpha"),
    (r"Fleiss", "Fleiss' kappa"),
    (r"\bCohen['’]s (?:weighted )?kappa|\bweighted kappa", "Cohen's kappa"),
    (r"\bGwet", "Gwet's AC"),
    (r"\bICC\b|intraclass correlation", "The intraclass correlation"),
    (r"\bCronbach", "Cronbach's alpha"),
    (r"\bBradley[-–]Terry", "The Bradley-Terry model"),
    (r"\bHolm\b|\bBonferroni|\bBenjamini", "Adjustment for several tests"),
)
_BLIND = re.compile(r"\bblind\w*|\bnot (?:told|informed|aware)\b|\bunaware\b", re.IGNORECASE)
_SHUFFLED = re.compile(
    r"\brandom(?:ly|ized|ised)?\b[^.]*\b(?:order|side|position|sequence)\b|\border\b[^.]*\brandom", re.IGNORECASE
)


def _needs_nothing(sentences: Sequence[str]) -> Iterator[tuple[str, str]]:
    for pattern, name in _DONE:
        sentence = next((one for one in sentences if re.search(pattern, one)), None)
        if sentence:
            is_adjusted = name.startswith("Adjustment")
            yield (
                (f"{name}: Holm's method for primary contrasts" if is_adjusted else f"{name} is in every report"),
                sentence,
            )
    if sentence := next(filter(_BLIND.search, sentences), None):
        yield "Raters are not told who wrote a response unless you choose so", sentence
    if sentence := next(filter(_SHUFFLED.search, sentences), None):
        yield "The order of items and responses is random for each rater", sentence
