import pandas as pd

from app.analysis.data.frames import rating_frame
from app.protocol.study import Protocol
from app.studies.folder.written_tables import with_derived
from tests.kit.builder import PREFERENCE, protocol_of

WHO = {"key": "who", "type": "category", "target": "item", "text": "Who is right?", "codes": {"neither": "Nobody"}}
WHY = {"key": "why", "type": "text", "target": "item", "text": "Why?"}


def test_only_outcomes_have_the_words_of_outcomes() -> None:
    protocol = Protocol.model_validate(protocol_of(questions=[PREFERENCE, WHO, WHY]))
    ratings = rating_frame({"question": ["preference", "who", "why"]}, 3).assign(value=["tie", "neither", "tie"])
    responses = pd.DataFrame({"response": [], "source": []})
    assert with_derived(ratings, responses, protocol)["value_label"].tolist() == ["Tie", "Nobody", None]
