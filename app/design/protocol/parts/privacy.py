"""What raters and an ethics board are told about the data, beyond what follows from the design."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from app.design.questions.prose import Prose


class Privacy(BaseModel):
    """The words of the privacy page and of the ethics document; all else is written from the other parts."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    controller: str = ""
    """The institution that is responsible for the data, with its address."""
    contact: str = ""
    """Whom raters can ask about their data: a name, an e-mail address, a data protection officer."""
    purpose: Prose = ""
    """What the data are used for. Default: to compare the responses that raters read."""
    recipients: Prose = ""
    """Who gets the data besides the research team, such as an archive, and in which form. Default: no one."""
    storage: Prose = ""
    """Where the server stands and who runs it, such as "a server of the university in Zurich"."""
    delete_at_retention: bool = False
    """Whether the study is deleted with all its data two days after its retention date (*Settings*), once it is
    closed; the deletion is announced a day before. By default the lead is only reminded.
    """
