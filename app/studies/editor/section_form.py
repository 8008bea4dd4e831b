"""One page of the protocol as a form of choices: leads type names, texts and numbers, never keys."""

import re
from collections.abc import Callable
from dataclasses import replace

from app.studies.editor.analysis_form import COMPOSITES, with_analysis_choices, with_analysis_that_fits
from app.studies.editor.analysis_form import NEW as NEW_OF_ANALYSIS
from app.studies.editor.check_form import KINDS as CHECKS
from app.studies.editor.check_form import with_checks_that_fit, with_new_check
from app.studies.editor.conditions_form import NEW as NEW_OF_CONDITIONS
from app.studies.editor.conditions_form import RULES as RULES_OF_CONDITIONS
from app.studies.editor.conditions_form import with_conditions_that_fit, with_named_levels
from app.studies.editor.controls import Control
from app.studies.editor.design_choices import NEW as NEW_OF_DESIGN
from app.studies.editor.design_choices import RULES as RULES_OF_DESIGN
from app.studies.editor.design_choices import with_chosen_items, with_design_that_fits
from app.studies.editor.named_choices import with_choices
from app.studies.editor.nodes import Data
from app.studies.editor.reading import Form
from app.studies.editor.sections import Section, section_controls, with_section
from app.studies.editor.sources_form import NEW as NEW_OF_SOURCES
from app.studies.editor.sources_form import RULES as RULES_OF_SOURCES
from app.studies.editor.sources_form import with_details, with_named_details
from app.studies.editor.stored_texts import Stored

_NEW: dict[str, Callable[[Data, Stored], Data]] = {
    **NEW_OF_DESIGN,
    **NEW_OF_CONDITIONS,
    **NEW_OF_SOURCES,
    **{path: lambda data, _, new=new: new(data) for path, new in NEW_OF_ANALYSIS.items()},  # type: ignore[misc]
    **{path: lambda data, _, path=path: with_new_check(data, path) for path in CHECKS},  # type: ignore[misc]
}
# What is added ready to use, not as an empty entry.
ADDED = frozenset(_NEW)


def section_form(section: Section, data: Data, stored: Stored, *, add: str = "") -> list[Control]:
    """The inputs of a page. `add`: the name of a list, mapping or part to which an empty entry is added."""
    controls = (with_choices(one, data) for one in section_controls(section, data, add=add))
    controls = (_with_choices(one, data, stored) for one in controls)
    controls = (with_analysis_choices(one, data, stored.columns) for one in controls)
    return [_folded(one) if section.folds else one for one in controls]


def _folded(control: Control) -> Control:
    """A control that is shown at once only if it is used, also if it is a group."""
    is_unused = control.shape == "absent" or (control.shape in {"rows", "named"} and not control.children)
    return replace(control, is_set=False) if is_unused else control


def _with_choices(control: Control, data: Data, stored: Stored) -> Control:
    for pattern, choose in (*RULES_OF_DESIGN, *RULES_OF_CONDITIONS, *RULES_OF_SOURCES):
        if re.fullmatch(pattern, control.name):
            control = choose(control, data, stored)
    return replace(control, children=tuple(_with_choices(child, data, stored) for child in control.children))


def with_edited_section(section: Section, data: Data, form: Form, stored: Stored) -> Data:
    """The data after a page was saved: keys follow labels if they may change, and what no longer fits is gone."""
    form, levels = with_named_levels(data, with_chosen_items(data, form, stored), stored)
    form, details = with_named_details(data, form)
    edited = with_checks_that_fit(data, with_details(with_section(section, data, form), details))
    edited = with_conditions_that_fit(data, edited, levels)
    edited = with_design_that_fits(data, edited, stored)
    return with_analysis_that_fits(data, edited, stored.fixed.get(COMPOSITES, ()))


def with_new_entry(data: Data, path: str, stored: Stored) -> Data:
    """The data with one more entry at a path of `ADDED`, ready to use."""
    return _NEW[path](data, stored)
