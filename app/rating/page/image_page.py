"""The image of an item. Only pages that show it name its token, so nobody who was not shown it can ask for it."""

from uuid import UUID

from fastapi import APIRouter
from starlette.responses import Response

from app.base.web.deps import Db
from app.base.web.errors import NotFoundError
from app.studies.item_images import get_image

router = APIRouter()
# An image never changes: another one has another token. Only the rater's own browser may keep it.
KEPT = "private, max-age=86400, immutable"


@router.get("/{slug}/images/{token}")
def show_image(slug: str, token: UUID, db: Db) -> Response:
    image = get_image(db, slug, token)
    if image is None:
        raise NotFoundError
    headers = {"Cache-Control": KEPT, "Content-Disposition": "inline"}
    return Response(image.content, media_type=image.media_type, headers=headers)
