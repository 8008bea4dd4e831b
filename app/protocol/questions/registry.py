"""The registry of question kinds. To add one, add a module beside this one and a line here."""

from typing import Annotated, get_args

from pydantic import Field

from app.protocol.questions.allocation import AllocationQuestion
from app.protocol.questions.category import CategoryQuestion
from app.protocol.questions.choice import ChoiceQuestion
from app.protocol.questions.highlight import HighlightQuestion
from app.protocol.questions.ranking import RankingQuestion
from app.protocol.questions.rating import RatingQuestion
from app.protocol.questions.slider import SliderQuestion
from app.protocol.questions.text import TextQuestion

# The kinds by the data that their answers are, as the analysis knows them: see `Measure`.
ScaledQuestion = RatingQuestion | SliderQuestion | AllocationQuestion
PreferenceQuestion = ChoiceQuestion
OrderQuestion = RankingQuestion
CodesQuestion = CategoryQuestion
PassagesQuestion = HighlightQuestion
AnyQuestion = (
    RatingQuestion
    | SliderQuestion
    | ChoiceQuestion
    | RankingQuestion
    | AllocationQuestion
    | CategoryQuestion
    | TextQuestion
    | HighlightQuestion
)
Question = Annotated[AnyQuestion, Field(discriminator="type")]

KINDS: dict[str, type[AnyQuestion]] = {
    get_args(kind.model_fields["type"].annotation)[0]: kind for kind in get_args(AnyQuestion)
}
SCALED = frozenset(kind for kind, model in KINDS.items() if issubclass(model, ScaledQuestion))
