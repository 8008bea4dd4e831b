"""The scripts by the names of their files."""

from dataclasses import dataclass
from typing import Literal, get_args

from app.analysis.model_code.contrast_model import WRITTEN_FOR, coded_study
from app.analysis.model_code.python_code import python_code
from app.analysis.model_code.r_code import brms_code, r_code
from app.analysis.report.report import Report
from app.protocol.study import Protocol

ScriptName = Literal["models.R", "models-brms.R", "models.py"]
SCRIPT_WORDS: dict[ScriptName, str] = {
    "models.R": "R, with lme4 and ordinal",
    "models-brms.R": "R, with brms",
    "models.py": "Python, with bambi",
}
MODELS_AS_CODE = "Models as code"
ABOUT_CODE = (
    "Each script reads ratings.csv from Downloads, keeps the ratings of each primary contrast, and fits its models. "
    "lme4 and ordinal give the same estimates; brms and bambi are Bayesian and give similar ones."
)
# on the pages of other primary contrasts
NO_CODE = f"There is no code for the primary contrasts of this page: {WRITTEN_FOR}."
_WRITERS = dict(zip(get_args(ScriptName), (r_code, brms_code, python_code), strict=True))


@dataclass(frozen=True, slots=True)
class Script:
    """A script with its file name and what it is for. `has_models` is False if it only says why there are none."""

    name: ScriptName
    words: str
    text: str
    has_models: bool


def scripts_of(report: Report, protocol: Protocol) -> list[Script]:
    """Return the models of the primary contrasts as code, in one order everywhere. The report is not `labelled`."""
    study = coded_study(report, protocol)
    n_fitted = sum(len(model.fitted) for model in study.models)
    # brms has nothing but mixed models; the others give means and shares too
    has_models = {name: bool(n_fitted if name == "models-brms.R" else study.models) for name in SCRIPT_WORDS}
    return [Script(name, words, _WRITERS[name](study), has_models[name]) for name, words in SCRIPT_WORDS.items()]
