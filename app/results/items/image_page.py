"""The image that raters see with an item: added, described, replaced and removed while the study is a draft."""

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from app.base.files.images import MAX_ALT
from app.base.problem import InvalidInputError
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError, PageError
from app.results.items.item_answers import get_item
from app.results.items.page import item_page
from app.studies.audit import record_act
from app.studies.creation.upload_form import upload_reader
from app.studies.imports.text_uploads import why_fixed
from app.studies.imports.texts_page import Sent
from app.studies.item_images import describe_image, drop_image, show_image
from app.studies.studies import StudyRow

router = APIRouter()
NO_ALT = f"Describe the image in at most {MAX_ALT} characters, for raters who cannot see it."
NO_IMAGE = "Choose an image."


@router.post("/studies/new/{slug}/items/{item}/image")
def submit_image(request: Request, sent: Sent, item: int) -> Response:
    """Show an image with an item, describe it with other words, or take it away."""
    from app.base.files.read_image import read_uploaded_image

    begin, study = request.app.state.begin, sent.own.study
    with begin() as db:
        found = get_item(db, study.id, item)
        if found is None:
            raise NotFoundError
        _check_draft(db, study)
    alt = " ".join(sent.fields.get("alt", [""])[0].replace("\0", "").split())
    is_removed, problem, image = "remove" in sent.fields, "", None
    if not is_removed and not 0 < len(alt) <= MAX_ALT:
        problem = NO_ALT
    elif not is_removed and sent.content:
        try:
            image = upload_reader(request).read(read_uploaded_image, (sent.file_name, sent.content))
        except InvalidInputError as error:
            problem = error.problems[0].sentence()
    elif not is_removed and not found.image:
        problem = NO_IMAGE
    with begin() as db:
        if problem:
            return item_page(request, db, sent.own, item, problem)
        _check_draft(db, study)
        if is_removed:
            drop_image(db, study.id, item)
        elif image:
            show_image(db, study.id, item, sent.file_name, image, alt)
        else:
            describe_image(db, study.id, item, alt)
        record_act(db, sent.own.lead, study, "image removed" if is_removed else "image set", item=found.key, alt=alt)
    return RedirectResponse(request.app.url_path_for("show_item", slug=study.slug, item=str(item)), status_code=303)


def _check_draft(db: Db, study: StudyRow) -> None:
    if why := why_fixed(db, study):
        raise PageError(why)
