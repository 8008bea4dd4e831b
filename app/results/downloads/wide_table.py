"""wide.csv: one row per rater and thing rated, one column per question."""

import pandas as pd

from app.analysis.data.study_folder import StudyFolder
from app.studies.folder.written_tables import Columns, tables_of

# What was rated and in which condition: answers that share all of these share a row.
ABOUT = (
    "rater",
    "item",
    "response",
    "source",
    "turn",
    "left_response",
    "right_response",
    "condition",
    "shown_label",
    "repeat",
    "rater_kind",
    "is_simulated",
    "exclude",
)


def wide_table(study: StudyFolder) -> Columns:
    """Return a row per rater and response, pair, turn or item, and a column per question with the answer.

    The source of a choice is the source chosen, so it is left out of the rows of pairs. A question with the key of
    another column, such as `source`, is in a column with `_answer` at the end.
    """
    ratings = pd.DataFrame(tables_of(study)["ratings"])
    if "source" in ratings:
        ratings["source"] = ratings["source"].where(ratings["response"].notna(), None)
    about = [name for name in ABOUT if name in ratings]
    filled = ratings[about].astype(object).where(ratings[about].notna(), "")
    asked = [question.key for question in study.protocol.questions if question.key in set(ratings["question"])]
    named = {key: f"{key}_answer" if key in about else key for key in asked}
    answers = filled.assign(question=ratings["question"].map(named), value=ratings["value"].astype(object))
    wide = answers.set_index([*about, "question"])["value"].unstack().reset_index()  # noqa: PD010 - no aggregation
    return {name: wide[name] for name in [*about, *named.values()]}
