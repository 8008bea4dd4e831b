"""Whether the parts of a protocol are consistent: every name used in one part is declared in another."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from app.base.problem import Broken, broken
from app.base.words import and_list, counted, or_list
from app.protocol.cells import cell_of, cells
from app.protocol.composite import composite_problems
from app.protocol.conversation import N_ROLES
from app.protocol.declared_contrasts import change_problems, empathic_problems
from app.protocol.labels import same_labels
from app.protocol.primary import TESTS, PrimaryContrast, is_of_texts, tests_for
from app.protocol.primary_default import first_question, test_of
from app.protocol.questions.of_set import MIN_SET
from app.protocol.questions.registry import AnyQuestion, Question
from app.protocol.questions.show_if import ShowIf
from app.protocol.study_parts import WORD_SHARE, ProtocolParts, swapped_source
from app.protocol.waves import at_wave, numbered, pages_of_wave, unlisted, wave_problems

MANY_CELLS = 200
# With two sources there is only one pair, so there is nothing to select.
MANY_ENOUGH = 3


def problems_between_parts(protocol: ProtocolParts) -> Broken:
    """Every inconsistency."""
    yield from _questions(protocol)
    yield from _labels(protocol)
    yield from _reference_levels(protocol)
    yield from _analysis(protocol)
    yield from _conditions(protocol)
    yield from _adaptive(protocol)
    yield from _sets(protocol)
    yield from _writing(protocol)
    yield from _turns_asked(protocol)
    yield from _flow(protocol)
    by_browser = protocol.recruitment.platform == "link"
    pools = protocol.design.pools
    yield from wave_problems(protocol.waves, protocol.questions, protocol.flow, pools=pools, by_browser=by_browser)
    yield from _checks(protocol)
    yield from _rendered(protocol)
    yield from show_if_problems(protocol)
    if protocol.recruitment.platform and protocol.design.links == "personal":
        rule = "must not be set with design.links: personal, which admits nobody from elsewhere"
        yield broken("recruitment.platform", rule, protocol.recruitment.platform)


def _unknown(part: str, what: str, names: Iterable[str], known: Collection[str]) -> Broken:
    if other := sorted(set(names) - set(known)):
        yield broken(part, f"must name {what} ({or_list(known)})", ", ".join(other))


def _questions(protocol: ProtocolParts) -> Broken:
    keys = [question.key for question in protocol.questions]
    keys += [check.key for check in (*protocol.checks.attention, *protocol.checks.comprehension)]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        yield broken("questions", "and checks must each have their own key", f"{and_list(twice)} more than once")
    parts = {part for cell in cells(protocol.conditions) for part in cell.levels}
    for question in protocol.questions:
        if protocol.conditions and question.condition and not set(cell_of(question.condition).levels) <= parts:
            yield broken("questions", "must name conditions of the study as factor=level", question.condition)


def _labels(protocol: ProtocolParts) -> Broken:
    yield from same_labels("sources", [source.label for source in protocol.sources.values()])
    composites = [composite.label for composite in protocol.analysis.composites.values()]
    yield from same_labels("questions", [*(question.label for question in protocol.questions), *composites])
    yield from same_labels("conditions", [factor.label for factor in protocol.conditions.values()])
    for name, factor in protocol.conditions.items():
        yield from same_labels(f"conditions.{name}.level_labels", [*factor.level_labels.values()])
    yield from same_labels("design.pools", [pool.label for pool in protocol.design.pools.values()])
    yield from same_labels("attributes", [attribute.label for attribute in protocol.attributes.values()])


def _reference_levels(protocol: ProtocolParts) -> Broken:
    """Reference levels that no source has; those of columns are found with the data."""
    for name, attribute in protocol.attributes.items():
        values = [source.attributes[name] for source in protocol.sources.values() if name in source.attributes]
        levels = dict.fromkeys(map(str, values))
        if attribute.reference_level is not None and levels and attribute.reference_level not in levels:
            rule = f"must be the {name} of a source ({or_list(levels)})"
            yield broken(f"attributes.{name}.reference_level", rule, attribute.reference_level)


def _analysis(protocol: ProtocolParts) -> Broken:
    analysis = protocol.analysis
    if analysis.reference is not None and analysis.reference not in protocol.sources:
        known = or_list(protocol.sources)
        yield broken("analysis.reference", f"must be one of the sources ({known})", analysis.reference)
    scaled = [question.key for question in protocol.scaled_questions]
    yield from _unknown("analysis.cut", "rating questions", analysis.cut, scaled)
    yield from _unknown("analysis.margin", "rating questions", analysis.margin, scaled)
    questions = {question.key: question for question in protocol.scaled_questions}
    for key, cut in analysis.cut.items():
        values = questions[key].values if key in questions else ()
        if values and not values[0] <= cut <= values[-1]:
            yield broken(f"analysis.cut.{key}", f"must be from {values[0]:g} to {values[-1]:g}", f"{cut:g}")
    yield from change_problems(analysis.changes, questions, analysis.composites)
    yield from empathic_problems(analysis.empathic_accuracy, questions, protocol.design.pools)
    for name, composite in analysis.composites.items():
        yield from composite_problems(name, composite, protocol.scaled_questions)
    yield from primary_problems(protocol)
    yield from monitoring_problems(protocol)
    yield from _believed_source(protocol)


def _believed_source(protocol: ProtocolParts) -> Broken:
    believed = protocol.analysis.believed_source
    if believed is None:
        return
    question = protocol.question(believed.question)
    if question is None or not (codes := question.code_words()):
        yield broken("analysis.believed_source.question", "must be a category question", believed.question)
    else:
        yield from _unknown("analysis.believed_source.means", "codes of the question", believed.means, codes)
    sources = (source for named in believed.means.values() for source in named)
    yield from _unknown("analysis.believed_source.means", "sources", sources, protocol.sources)
    if believed.confidence and believed.confidence not in {q.key for q in protocol.scaled_questions}:
        yield broken("analysis.believed_source.confidence", "must be a rating question", believed.confidence)


def _conditions(protocol: ProtocolParts) -> Broken:
    kinds = [factor.kind for factor in protocol.conditions.values()]
    if twice := sorted({kind for kind in kinds if kinds.count(kind) > 1}):
        yield broken("conditions", "must have at most one factor of each kind", f"{and_list(twice)} more than once")
    if len(cells(protocol.conditions)) > MANY_CELLS:
        yield broken("conditions", f"must cross to at most {MANY_CELLS} cells", len(cells(protocol.conditions)))
    for name, factor in protocol.conditions.items():
        part = f"conditions.{name}"
        if factor.kind == "source":
            yield from _unknown(f"{part}.levels", "sources", factor.levels, protocol.sources)
        yield from _unknown(f"{part}.swaps", "sources", [*factor.swaps, *factor.swaps.values()], protocol.sources)
        if "swapped" in factor.levels:
            alone = [source for source in protocol.sources if swapped_source(protocol.sources, factor, source) is None]
            if alone:
                yield broken(
                    f"{part}.swaps", "must name the source whose label each gets", f"none for {', '.join(alone)}"
                )
            if protocol.flow.debrief is None:
                yield broken("flow.debrief", "must tell raters the true source if labels are swapped", "nothing")


def _adaptive(protocol: ProtocolParts) -> Broken:
    design = protocol.design
    if design.adaptive is None:
        return
    choices = [question.key for question in protocol.choice_questions]
    yield from _unknown(
        "design.adaptive", "a question that asks raters to choose a response of a pair", [design.adaptive], choices
    )
    if len(protocol.sources) < MANY_ENOUGH:
        yield broken("design.adaptive", f"needs at least {MANY_ENOUGH} sources", len(protocol.sources))
    if design.trials not in {None, "pairs"}:
        yield broken("design.adaptive", "needs trials of pairs", design.trials)
    if design.trials_per_rater is None:
        yield broken("design.adaptive", "needs design.trials_per_rater", "nothing")
    if within := [name for name, factor in protocol.conditions.items() if factor.assign == "within"]:
        yield broken("design.adaptive", "needs conditions that vary between raters", ", ".join(within))


def _sets(protocol: ProtocolParts) -> Broken:
    if not protocol.set_questions:
        return
    asked = protocol.set_questions[0]
    if protocol.design.trials not in {None, "set"}:
        yield broken("design.trials", f"must be `set` if {asked.done}", protocol.design.trials)
    if protocol.design.adaptive is not None:
        yield broken("design.adaptive", f"must not be set if {asked.done}", protocol.design.adaptive)
    for name, factor in protocol.conditions.items():
        if factor.kind == "layout":
            yield broken(f"conditions.{name}", f"must not be of kind layout if {asked.done}", "layout")
    for keys in protocol.design.listed:
        if len(set(keys)) < MIN_SET:
            rule = f"must name at least three responses per trial for {asked.noun}"
            yield broken("design.listed", rule, ", ".join(keys))


def _writing(protocol: ProtocolParts) -> Broken:
    """What a study must have in which raters write, and cannot have."""
    trials, writing = protocol.design.trials, protocol.writing
    if protocol.conversation and protocol.draft:
        yield broken("draft", "must not be set if raters have conversations", "it")
    if writing is None:
        if trials in {"conversation", "draft"}:
            yield broken(f"{trials}.partners", "must name whom raters write with", "nothing")
        return
    kind, done = writing.words.kind, writing.words.done
    if trials != kind:
        yield broken("design.trials", f"must be `{kind}` if {done}", trials or "nothing")
    yield from _partners(protocol, f"{kind}.partners", writing.all_partners)
    if any(partner.replies == "person" for partner in writing.all_partners.values()):
        yield from _in_pairs(protocol)
    swapped = any("swapped" in factor.levels for factor in protocol.conditions.values())
    if swapped and not writing.ethics.strip():
        rule = "must say who approved that raters are told another partner than they have"
        yield broken(f"{kind}.ethics", rule, "nothing")
    consent = protocol.flow.consent
    if protocol.draft and protocol.draft.keystrokes and not (consent and consent.records_keystrokes):
        rule = "must not be set unless flow.consent.records_keystrokes says that the consent form names it"
        yield broken("draft.keystrokes", rule, "no consent to it")
    yield from _not_written(protocol, done)


def _turns_asked(protocol: ProtocolParts) -> Broken:
    """Questions about the turns of one writer, where there are no such turns."""
    talk = protocol.conversation
    for number, question in enumerate(protocol.questions, 1):
        part = f"questions.{number}.turns"
        if question.turns == "all":
            continue
        if question.target != "turn":
            rule = "must be all, unless the question is about each turn"
            yield broken(part, rule, f"{question.turns}, with target: {question.target}")
        elif talk is None:
            rule = "must be all, unless raters have the conversations that they are asked about"
            yield broken(part, rule, f"{question.turns}, without design.trials: conversation")
        elif question.turns == "partner" and all(one.is_diary for one in talk.partners.values()):
            rule = "must be all or own, because nobody replies to raters (conversation.partners)"
            yield broken(part, rule, question.turns)


def _partners(protocol: ProtocolParts, part: str, partners: Collection[str]) -> Broken:
    """Sources without a partner, and raters who would have none."""
    yield from _unknown(part, "sources", partners, protocol.sources)
    if without := [key for key in protocol.sources if key not in partners]:
        yield broken(part, "must name a partner for each source", f"none for {and_list(without)}")
    arms = next((factor.levels for factor in protocol.conditions.values() if factor.kind == "source"), None)
    if without := [key for key in protocol.sources if len(protocol.sources) > 1 and key not in (arms or ())]:
        rule = "must have a factor of kind source with all sources, so that each rater has one partner"
        yield broken("conditions", rule, f"none for {and_list(without)}")


def _in_pairs(protocol: ProtocolParts) -> Broken:
    """Numbers of raters per trial of whom one would have no partner."""
    design = protocol.design
    for pool in design.pools or (None,):
        if design.raters_of(pool) % N_ROLES:
            part = f"design.pools.{pool}" if pool and design.pools[pool].raters_per_trial else "design"
            rule = "must be even, because raters write with each other"
            yield broken(f"{part}.raters_per_trial", rule, design.raters_of(pool))


def _not_written(protocol: ProtocolParts, done: str) -> Broken:
    """What a study cannot have in which raters write the responses."""
    for name, factor in protocol.conditions.items():
        if factor.kind == "layout":
            yield broken(f"conditions.{name}", f"must not be of kind layout if {done}", "layout")
    for number, question in enumerate(protocol.questions, 1):
        if question.target in {"pair", "set"}:
            yield broken(f"questions.{number}", f"must not be about several responses if {done}", question.key)
    taken = {
        "design.listed": protocol.design.listed,
        "design.repeats": protocol.design.repeats,
        "design.human_sample": protocol.design.human_sample,
        "flow.practice": protocol.flow.practice,
        "checks.gold": protocol.checks.gold,
    }
    for part, value in taken.items():
        if value:
            yield broken(part, f"must not be set if {done}, which cannot be repeated", "it")


def _flow(protocol: ProtocolParts) -> Broken:
    flow = protocol.flow
    about_rater = [question.key for question in protocol.questions if question.target == "rater"]
    named = [*(flow.eligibility.accept if flow.eligibility else ())]
    named += [key for questionnaire in (*flow.before, *flow.after) for key in questionnaire.questions]
    yield from _unknown("flow", "questions about the rater", named, about_rater)
    if twice := sorted({key for key in named if named.count(key) > 1}):
        yield broken("flow", "must ask each question about the rater only once", f"{and_list(twice)} more than once")
    pools = [pool for questionnaire in (*flow.before, *flow.after) for pool in questionnaire.pools]
    yield from _unknown("flow", "pools from design.pools", pools, protocol.design.pools)
    shown = [question.key for question in protocol.questions if question.target in {"response", "item"}]
    yield from _unknown("flow.revisit", "questions about a response or an item", flow.revisit, shown)
    keys = [question.key for question in protocol.questions]
    for trial in flow.practice.trials if flow.practice else ():
        yield from _unknown("flow.practice", "questions", trial.expect, keys)


def _rendered(protocol: ProtocolParts) -> Broken:
    """Marked words are counted in the text as written, which a page with Markdown does not show."""
    for number, question in enumerate(protocol.questions, 1):
        if protocol.render == "markdown" and question.measure == "passages" and question.target != "item":
            yield broken(
                f"questions.{number}",
                "must not mark words in responses that are shown with their Markdown (`render`)",
                question.key,
            )


def _checks(protocol: ProtocolParts) -> Broken:
    keys = [question.key for question in protocol.questions]
    checks = protocol.checks
    for trial in checks.gold:
        yield from _unknown("checks.gold", "questions", trial.expect, keys)
    if checks.flag_at is not None and checks.flag_at > checks.n_scored:
        has = f"{counted(len(checks.attention), 'attention check')} and {counted(len(checks.gold), 'gold trial')}"
        rule = f"must be at most the number of checks, or nobody can be flagged (the study has {has})"
        yield broken("checks.flag_at", rule, checks.flag_at)


# Problems with the primary contrasts of a protocol, one sentence each, naming the position in the list.

SHOWN_LABEL = "shown_label"
# Tests of the proportion of ratings at or above the cut-off value.
WITH_CUT = {"share_at_least_ratio", "percent_change_at_least"}


def primary_problems(protocol: ProtocolParts) -> Broken:
    """Undeclared names, parts that a test does not take or that it lacks, and duplicate contrasts."""
    contrasts = protocol.analysis.primary
    for place, contrast in enumerate(contrasts, 1):
        part = f"analysis.primary.{place}"
        yield from _of_one(protocol, contrast, part)
        if contrast in contrasts[: place - 1]:
            same = contrasts.index(contrast) + 1
            yield broken(part, "must differ from all other contrasts", f"the same as analysis.primary.{same}")


def _of_one(protocol: ProtocolParts, contrast: PrimaryContrast, part: str) -> Broken:
    question = first_question(protocol, contrast.question)
    if is_of_texts(contrast):
        yield from _of_texts(protocol, contrast, part)
    elif question is None:
        known = or_list([*(question.key for question in protocol.questions), *protocol.analysis.composites])
        yield broken(f"{part}.question", f"must be a question or a composite ({known})", contrast.question)
    else:
        yield from [*_test_problem(protocol, contrast, question, part)] or _names(protocol, contrast, question, part)


def _of_texts(protocol: ProtocolParts, contrast: PrimaryContrast, part: str) -> Broken:
    """Problems of a contrast of texts. The measure may be a column of responses.csv, so any name is allowed here."""
    name = str(contrast.test)
    yield from _parts(contrast, name, part)
    if contrast.published is not None:
        yield broken(f"{part}.published", "must be one of none", contrast.published)
    if len(protocol.sources) < 2:  # noqa: PLR2004 - two are compared
        yield broken(f"{part}.test", f"{name} needs two sources", len(protocol.sources))
        return
    lists = [f"{WORD_SHARE}{one}" for one in protocol.analysis.word_lists]
    if contrast.question.startswith(WORD_SHARE) and contrast.question not in lists:
        yield broken(f"{part}.question", f"must be one of {', '.join(lists) or 'none'}", contrast.question)
    yield from _sources(protocol, contrast, part)


def _sources(protocol: ProtocolParts, contrast: PrimaryContrast, part: str) -> Broken:
    """Sources that are not declared, and a source that is compared with itself."""
    for name in ("source", "reference"):
        value = getattr(contrast, name)
        if value is not None and value not in protocol.sources:
            yield broken(f"{part}.{name}", f"must be one of {', '.join(protocol.sources) or 'none'}", value)
    if contrast.source is not None and contrast.source == contrast.reference:
        yield broken(f"{part}.reference", f"must be a source other than {contrast.source}", "the same")
    takes_reference = "reference" in TESTS[str(test_of(protocol, contrast))].may
    if takes_reference and contrast.reference is None and contrast.source == protocol.reference:
        rule = f"must be a source other than {contrast.source}, the reference, unless another reference is named"
        yield broken(f"{part}.source", rule, "the same")


def _test_problem(protocol: ProtocolParts, contrast: PrimaryContrast, question: AnyQuestion, part: str) -> Broken:
    """Problems with the test and the parts that it takes."""
    name, fitting = test_of(protocol, contrast), tests_for(question)
    if not fitting:
        yield broken(f"{part}.question", "must be a question that can be compared", contrast.question)
    elif name is None:
        yield broken(f"{part}.test", f"must be one of {', '.join(fitting)}", "nothing")
    elif name not in fitting:
        yield broken(f"{part}.test", f"must be one of {', '.join(fitting)} for {contrast.question}", name)
    else:
        yield from _parts(contrast, name, part)
        yield from _margin(protocol, contrast, name, part)
        yield from _turns(question, name, part)
        yield from _published(contrast, name, fitting, part)


def _published(contrast: PrimaryContrast, name: str, fitting: list[str], part: str) -> Broken:
    """A test of a publication that does not compare the same as the primary test does."""
    if contrast.published is None:
        return
    same = [one for one in fitting if one != name and TESTS[one].compares == TESTS[name].compares]
    if contrast.published not in same:
        yield broken(f"{part}.published", f"must be one of {', '.join(same) or 'none'}", contrast.published)


def _parts(contrast: PrimaryContrast, name: str, part: str) -> Broken:
    """Parts that the test needs or does not take."""
    test, named = TESTS[name], contrast.named
    for need in test.needs:
        if need not in named:
            yield broken(f"{part}.{need}", f"must be set for the test {name}", "nothing")
    allowed = (*test.needs, *test.may)
    words = ", ".join(allowed) or "only the question"
    for other in named:
        if other not in allowed:
            yield broken(part, f"must name {words} for the test {name}", other)


def _margin(protocol: ProtocolParts, contrast: PrimaryContrast, name: str, part: str) -> Broken:
    declared = protocol.analysis.margin_of(contrast.question)
    if "margin" in TESTS[name].may and declared is None:
        yield broken(f"{part}.margin", "must be the largest difference that does not matter", "nothing")
    if contrast.margin is not None and contrast.margin != declared:
        yield broken(
            f"{part}.margin", f"must equal the margin of {contrast.question}, {declared:g}", f"{contrast.margin:g}"
        )
    if name in WITH_CUT and contrast.question not in protocol.analysis.cut:
        yield broken(f"{part}.test", f"{name} needs a value for the question in analysis.cut", "none")


def _turns(question: AnyQuestion, name: str, part: str) -> Broken:
    if TESTS[name].compares == "turns" and question.target != "turn":
        yield broken(f"{part}.test", f"{name} needs a question with the target turn", question.target)


def _names(protocol: ProtocolParts, contrast: PrimaryContrast, question: AnyQuestion, part: str) -> Broken:
    """Names that are not declared elsewhere. Attributes and covariates may be columns of the study's files."""
    factor = contrast.factor
    known: dict[str, Collection[str]] = {
        "factor": {*protocol.conditions, SHOWN_LABEL},
        "pool": protocol.design.pools,
        "reference_pool": protocol.design.pools,
        "code": question.code_words(),
    }
    if factor in protocol.conditions:
        known["level"] = protocol.conditions[factor].levels
    if test_of(protocol, contrast) == "attribute_effect":
        known["attribute"] = [name for source in protocol.sources.values() for name in source.attributes]
    scores = (*(one.key for one in protocol.scaled_questions), *protocol.analysis.composites)
    about_raters = (key for key in scores if getattr(first_question(protocol, key), "target", "") == "rater")
    known["covariate"] = [*protocol.analysis.covariates, *about_raters]
    for name, value in contrast.named.items():
        if name in known and value not in known[name]:
            yield broken(f"{part}.{name}", f"must be one of {', '.join(known[name]) or 'none'}", value)
    yield from _sources(protocol, contrast, part)
    yield from _groups(contrast, str(test_of(protocol, contrast)), part)
    yield from _declared(protocol, contrast, question, part)


def _groups(contrast: PrimaryContrast, name: str, part: str) -> Broken:
    """Groups of raters that are named twice, or compared with themselves or with nothing."""
    for side in ("", "reference_"):
        kind = getattr(contrast, f"{side}rater_kind")
        if kind is not None and getattr(contrast, f"{side}pool") is not None:
            yield broken(f"{part}.{side}rater_kind", f"must not be set beside {side}pool", kind)
    mine, theirs = contrast.rater_kind, contrast.reference_rater_kind
    if mine is not None and mine == theirs:
        yield broken(f"{part}.reference_rater_kind", "must be the other kind of raters", theirs)
    is_open = not {"reference_pool", "reference_rater_kind"} & contrast.named.keys()
    if "rater_kind" in contrast.named and TESTS[name].compares == "pools" and is_open:
        yield broken(f"{part}.reference_rater_kind", "must be set, or reference_pool, beside rater_kind", "nothing")
    if theirs is not None and not {"pool", "rater_kind"} & contrast.named.keys():
        yield broken(f"{part}.rater_kind", "must be set, or pool, beside reference_rater_kind", "nothing")


def _declared(protocol: ProtocolParts, contrast: PrimaryContrast, question: AnyQuestion, part: str) -> Broken:
    """Missing settings that a test needs elsewhere in the protocol, such as an answer key or a believed source."""
    analysis, compares = protocol.analysis, TESTS[str(test_of(protocol, contrast))].compares
    name, key = test_of(protocol, contrast), contrast.question
    if compares == "structure" and getattr(analysis.composites.get(key), "factors", None) is None:
        yield broken(f"{part}.question", "must be a composite with `factors`", key)
    if TESTS[str(name)].needs_key and not question.has_key():
        yield broken(f"{part}.question", "must be a question with correct or correct_column", question.key)
    is_of_change = compares == "change" or name == "pool_change_difference"
    if is_of_change and key not in (change.after for change in analysis.changes):
        yield broken(f"{part}.question", "must be the `after` score of one of analysis.changes", key)
    if compares == "conjoint" and contrast.attribute not in analysis.conjoint:
        yield broken(f"{part}.attribute", "must be one of analysis.conjoint", contrast.attribute)
    declared = analysis.empathic_accuracy
    is_empathic = compares == "empathic_accuracy" or name == "pool_empathic_difference"
    if is_empathic and (declared is None or declared.answered != key):
        yield broken(f"{part}.question", "must be the one that perceivers answer in analysis.empathic_accuracy", key)
    if compares == "belief" and analysis.believed_source is None:
        yield broken(f"{part}.test", "needs analysis.believed_source", "none")
    if name == "mean_difference_responders" and (analysis.responder is None or question.target != "response"):
        rule = "needs analysis.responder and a question with the target response"
        yield broken(f"{part}.test", rule, question.target if analysis.responder else "none")


# What is wrong with the declared looks of a protocol.


def monitoring_problems(protocol: ProtocolParts) -> Broken:
    """Looks that are declared without exactly one primary contrast."""
    n = len(protocol.analysis.primary)
    if protocol.monitoring.looks and n != 1:
        yield broken("monitoring.looks", "must be for a study with one contrast in analysis.primary", n)
    elif protocol.monitoring.looks and is_of_texts(protocol.analysis.primary[0]):
        yield broken("monitoring.looks", "must be for a contrast of ratings, which arrive over time", "text_difference")


# Whether every `show_if` names an earlier question about the rater and answers that this question has.


def show_if_problems(protocol: ProtocolParts) -> Broken:
    """Every problem."""
    dependent = {question.key: question for question in protocol.questions if question.show_if}
    if not dependent:
        return
    about_rater = {question.key: question for question in protocol.questions if question.target == "rater"}
    cycle = _cycle(dependent)
    if cycle:
        yield broken("questions.show_if", "must not form a cycle", " > ".join(cycle))
    pages = _pages(protocol)
    place = {key: (number, nth) for number, (keys, _) in enumerate(pages) for nth, key in enumerate(keys)}
    for key, question in dependent.items():
        if key not in about_rater:
            yield broken("questions", "with show_if must be about the rater", f"{key}, about the {question.target}")
        elif protocol.flow.eligibility and key in protocol.flow.eligibility.accept:
            yield broken(
                "flow.eligibility", "must name questions that every rater is asked", f"{key}, which has show_if"
            )
        else:
            yield from _problems(question, about_rater, place, pages, in_cycle=key in cycle)


def _problems(
    question: Question,
    about_rater: Mapping[str, Question],
    place: Mapping[str, tuple[int, int]],
    pages: Sequence[tuple[Sequence[str], bool]],
    *,
    in_cycle: bool,
) -> Broken:
    rule, part = question.show_if, f"questions.{question.key}.show_if"
    earlier = about_rater.get(rule.question) if rule else None
    if rule is None or earlier is None:
        yield broken(part, "must name a question about the rater", rule and rule.question)
    else:
        (of_page, of_place), (page, own_place) = place[rule.question], place[question.key]
        if not in_cycle and (of_page, of_place) >= (page, own_place):
            yield broken(part, "must name a question that is asked earlier", rule.question)
        if of_page == page and pages[page][1]:
            yield broken(part, "must name a question of an earlier page, because its page is shuffled", rule.question)
        yield from _test(part, rule, earlier)


def _test(part: str, rule: ShowIf, earlier: Question) -> Broken:
    if rule.at_least is not None:
        if earlier.measure != "scale":
            yield broken(part, "needs a question answered by a number for at_least", rule.question)
    elif earlier.measure not in {"scale", "codes"}:
        yield broken(part, "needs a question with answers to choose from", rule.question)
    elif unknown := [value for value in rule.accepted if not earlier.accepts(value, ())]:
        allowed = earlier.allowed_words()
        yield broken(part, f"must name answers of {rule.question} ({allowed})", ", ".join(unknown))


def _pages(protocol: ProtocolParts) -> list[tuple[Sequence[str], bool]]:
    """The questions about the rater page by page, as raters get them, and whether a page is shuffled."""
    flow = protocol.flow
    pages: list[tuple[Sequence[str], bool]] = [(list(flow.eligibility.accept) if flow.eligibility else [], False)]
    pages += [(page.questions, page.shuffle) for page in (*flow.before, *flow.after)]
    about = unlisted(protocol.questions, flow, protocol.waves)
    pages.append((about, False))
    for number, _ in numbered(protocol.waves):
        for page in pages_of_wave(flow, protocol.waves, number, about):
            pages.append(([at_wave(key, number) for key in page.questions], page.shuffle))
    return pages


def _cycle(dependent: Mapping[str, Question]) -> list[str]:
    """The keys of a cycle, beginning and ending with the same one; empty if there is none."""
    for first in dependent:
        way, key = [first], first
        while (question := dependent.get(key)) and question.show_if and len(way) <= len(dependent):
            key = question.show_if.question
            way.append(key)
            if key == first:
                return way
    return []
