"""The registry of question kinds. To add one, add a module beside this one and a line here."""

from __future__ import annotations

from typing import Annotated, get_args

from pydantic import Field

from app.design.questions.kinds.category import CategoryQuestion
from app.design.questions.kinds.choice import ChoiceQuestion
from app.design.questions.kinds.highlight import HighlightQuestion
from app.design.questions.kinds.ranking import RankingQuestion
from app.design.questions.kinds.rating import RatingQuestion
from app.design.questions.kinds.slider import SliderQuestion
from app.design.questions.kinds.text import TextQuestion

ScaledQuestion = RatingQuestion | SliderQuestion
AnyQuestion = ScaledQuestion | ChoiceQuestion | RankingQuestion | CategoryQuestion | TextQuestion | HighlightQuestion
Question = Annotated[AnyQuestion, Field(discriminator="type")]

KINDS: dict[str, type[AnyQuestion]] = {
    get_args(kind.model_fields["type"].annotation)[0]: kind for kind in get_args(AnyQuestion)
}
