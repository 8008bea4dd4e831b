"""The response that each member of the cast gets from every route, for `test_cast.py`."""

from app.accounts.roles import ROLES as ROLES_ASKED

SIGN_IN = "to sign in"


def study(answer: int, *roles: str) -> tuple[object, ...]:
    """What an address of a study answers to these roles; the other roles get 403, other leads 404."""
    return (*(answer if role in roles else 403 for role in ROLES_ASKED), 404, SIGN_IN, SIGN_IN, SIGN_IN)


def leads(answer: int) -> tuple[object, ...]:
    """What every lead gets, of whatever study."""
    return (*(answer,) * 5, SIGN_IN, SIGN_IN, SIGN_IN)


def raters(lead: int, rater: int, another: int, visitor: int) -> tuple[object, ...]:
    """What a rater's address answers; a lead is there nobody special."""
    return (*(lead,) * 5, rater, another, visitor)


def api(answer: int, *roles: str) -> tuple[object, ...]:
    """What the API answers to tokens of these roles; without a token, or in a browser, it asks for one."""
    return (*(answer if role in roles else 403 for role in ROLES_ASKED), 404, 401, 401, 401)


EVERYBODY = ROLES_ASKED
READERS = ("owner", "editor", "analyst")
EDITORS = ("owner", "editor")
OWN_CHANGE = study(303, "owner")
EDIT_CHANGE, EDIT_PAGE = study(303, *EDITORS), study(200, *EDITORS)
READ_PAGE = study(200, *READERS)
FOLLOW_PAGE = study(200, *EVERYBODY)
ANYBODY = (200,) * 8
SENT_ON = (303,) * 8

# The response for each member of the cast, in the order of CAST. Addresses are the rater's and the lead's study's.
EXPECTED: dict[str, tuple[object, ...]] = {
    "GET /": ANYBODY,
    "GET /healthz": ANYBODY,
    "GET /readyz": ANYBODY,
    # For programs on the same machine, or with a token.
    "GET /metrics": (404,) * 8,
    "GET /static/{digest}/{name}": ANYBODY,
    "GET /help": ANYBODY,
    "GET /help/search": ANYBODY,
    "GET /help/{page_name}": ANYBODY,
    "GET /sign-in": (*(303,) * 5, 200, 200, 200),
    "POST /sign-in": (422,) * 8,
    # Only with a provider in the settings.
    "GET /sign-in/openid/start": (404,) * 8,
    "GET /sign-in/openid/return": (404,) * 8,
    "GET /sign-in/{token}": ANYBODY,
    "POST /sign-in/{token}": (410,) * 8,
    "POST /sign-out": SENT_ON,
    "GET /account": leads(200),
    "GET /account/session": leads(204),
    "POST /account": leads(422),
    "POST /account/sign-out": leads(303),
    "POST /account/sessions": leads(422),
    "GET /invitations/{token}": (410,) * 8,
    "POST /invitations/{token}": (410,) * 8,
    "GET /studies": leads(200),
    "GET /studies/new": leads(200),
    "POST /studies/new": leads(422),
    "GET /studies/new/template": leads(303),
    "POST /studies/new/template": leads(422),
    "POST /studies/new/methods": leads(422),
    "GET /studies/new/sheets": leads(303),
    "POST /studies/new/sheets": leads(422),
    "GET /studies/new/sheets/{token}": leads(422),
    "POST /studies/new/sheets/{token}": leads(422),
    "GET /studies/new/{slug}/texts": READ_PAGE,
    "POST /studies/new/{slug}/texts": study(422, *EDITORS),
    "POST /studies/new/{slug}/columns": EDIT_CHANGE,
    # The study is open, so its images stay.
    "POST /studies/new/{slug}/items/{item}/image": study(400, *EDITORS),
    "GET /studies/new/{slug}/ratings": EDIT_PAGE,
    "POST /studies/new/{slug}/ratings": EDIT_PAGE,
    "GET /studies/{slug}": FOLLOW_PAGE,
    "GET /studies/{slug}/coverage": study(303, *EVERYBODY),
    "POST /studies/{slug}/status": EDIT_CHANGE,
    "GET /studies/{slug}/items": READ_PAGE,
    "GET /studies/{slug}/items/{item}": READ_PAGE,
    "GET /studies/{slug}/items/{item}/texts": READ_PAGE,
    "POST /studies/{slug}/items/{item}/retirement": EDIT_CHANGE,
    "GET /studies/{slug}/raters": FOLLOW_PAGE,
    "GET /studies/{slug}/raters/{rater}/answers": READ_PAGE,
    "GET /studies/{slug}/conversations": READ_PAGE,
    "GET /studies/{slug}/second-study": EDIT_PAGE,
    # Nobody wrote a text in this study.
    "POST /studies/{slug}/second-study": study(422, *EDITORS),
    "GET /studies/{slug}/second-study/{text}": study(404, *EDITORS),
    "POST /studies/{slug}/second-study/{text}": study(404, *EDITORS),
    "GET /studies/{slug}/raters/{rater}/answers/page": READ_PAGE,
    "POST /studies/{slug}/raters/{rater}/exclusion": EDIT_CHANGE,
    "POST /studies/{slug}/raters/{rater}/release": EDIT_CHANGE,
    "POST /studies/{slug}/raters/{rater}/link/revocation": EDIT_CHANGE,
    "POST /studies/{slug}/raters/{rater}/identity": EDIT_PAGE,
    "POST /studies/{slug}/raters/{rater}/data.json": EDIT_PAGE,
    "POST /studies/{slug}/raters/prolific.csv": EDIT_PAGE,
    "POST /studies/{slug}/raters/bonus.csv": EDIT_PAGE,
    "POST /studies/{slug}/raters/simulated/deletion": EDIT_CHANGE,
    "POST /studies/{slug}/raters/mturk.csv": EDIT_PAGE,
    "POST /studies/{slug}/raters/sona.csv": EDIT_PAGE,
    "POST /studies/{slug}/raters/waves/{number}.csv": study(404, *EDITORS),
    "POST /studies/{slug}/raters/invitations": study(422, *EDITORS),
    "POST /studies/{slug}/raters/demographics": study(422, *EDITORS),
    "GET /studies/{slug}/raters/prolific": EDIT_PAGE,
    "POST /studies/{slug}/raters/prolific": EDIT_PAGE,
    "GET /studies/{slug}/raters/messages": EDIT_PAGE,
    "POST /studies/{slug}/raters/messages": study(422, *EDITORS),
    "GET /studies/{slug}/people": FOLLOW_PAGE,
    "POST /studies/{slug}/people": OWN_CHANGE,
    # The only owner cannot leave.
    "POST /studies/{slug}/people/leave": (422, 303, 303, 303, 404, SIGN_IN, SIGN_IN, SIGN_IN),
    "POST /studies/{slug}/people/invitations/{number}": study(404, "owner"),
    "POST /studies/{slug}/people/{member}/role": OWN_CHANGE,
    "POST /studies/{slug}/people/{member}/removal": OWN_CHANGE,
    "POST /studies/{slug}/people/{member}/recovery": OWN_CHANGE,
    "GET /studies/{slug}/plan": READ_PAGE,
    "POST /studies/{slug}/plan/kept": EDIT_CHANGE,
    "POST /studies/{slug}/plan/size": EDIT_CHANGE,
    "GET /studies/{slug}/human-sample": READ_PAGE,
    # People rate all items.
    "POST /studies/{slug}/human-sample": study(422, *EDITORS),
    # For drafts.
    "GET /studies/{slug}/rehearsal": READ_PAGE,
    "GET /studies/{slug}/methods": EDIT_PAGE,
    "POST /studies/{slug}/methods": study(422, *EDITORS),
    "GET /studies/{slug}/judges": READ_PAGE,
    "GET /studies/{slug}/judges/new": EDIT_PAGE,
    "POST /studies/{slug}/judges/new": study(422, *EDITORS),
    "GET /studies/{slug}/generated": READ_PAGE,
    "GET /studies/{slug}/generated/new": EDIT_PAGE,
    "POST /studies/{slug}/generated/new": study(422, *EDITORS),
    "GET /studies/{slug}/generated/{number}": study(404, *READERS),
    "GET /studies/{slug}/generated/{number}/compare": study(422, *READERS),
    "POST /studies/{slug}/generated/{number}/texts/{text}": study(422, *EDITORS),
    "POST /studies/{slug}/generated/{number}/use": study(422, *EDITORS),
    "POST /studies/{slug}/model-runs/{number}/stop": study(404, *EDITORS),
    "POST /studies/{slug}/model-runs/{number}/continue": study(422, *EDITORS),
    "GET /studies/{slug}/model-runs/{number}/requests": study(404, *READERS),
    "POST /studies/{slug}/judges/{number}/again": study(422, *EDITORS),
    "POST /studies/{slug}/model-runs/{number}/redo": study(422, *EDITORS),
    "POST /studies/{slug}/model-runs/{number}/delete": study(404, *EDITORS),
    "GET /studies/{slug}/settings": READ_PAGE,
    "POST /studies/{slug}/settings/title": EDIT_CHANGE,
    "POST /studies/{slug}/settings/keep-until": OWN_CHANGE,
    "POST /studies/{slug}/settings/copy": study(303, *READERS),
    "POST /studies/{slug}/settings/archive": OWN_CHANGE,
    "POST /studies/{slug}/settings/delete": study(422, "owner"),
    "GET /studies/{slug}/settings/log.csv": EDIT_PAGE,
    "GET /studies/{slug}/settings/api": READ_PAGE,
    "POST /studies/{slug}/settings/api": study(422, *READERS),
    "POST /studies/{slug}/settings/api/{number}/revocation": study(404, *READERS),
    "GET /studies/{slug}/settings/webhooks": EDIT_PAGE,
    "POST /studies/{slug}/settings/webhooks": study(422, *EDITORS),
    "POST /studies/{slug}/settings/webhooks/{number}/{change}": study(404, *EDITORS),
    "GET /api/v1/openapi.json": ANYBODY,
    "GET /api/v1/studies/{slug}": api(200, *EVERYBODY),
    "GET /api/v1/studies/{slug}/protocol": api(200, *READERS),
    # Without its confirmation, and without a file.
    "DELETE /api/v1/studies/{slug}": api(422, "owner"),
    "POST /api/v1/studies/{slug}/studies": api(422, "owner"),
    "POST /api/v1/studies/{slug}/items": api(422, *EDITORS),
    "POST /api/v1/studies/{slug}/ratings": api(422, *EDITORS),
    "POST /api/v1/studies/{slug}/status": api(200, *EDITORS),
    "GET /api/v1/studies/{slug}/items": api(200, *READERS),
    "GET /api/v1/studies/{slug}/responses": api(200, *READERS),
    "GET /api/v1/studies/{slug}/raters": api(200, *EVERYBODY),
    "POST /api/v1/studies/{slug}/raters/{rater}/exclusion": api(404, *EDITORS),
    "POST /api/v1/studies/{slug}/links": api(422, *EDITORS),
    "GET /api/v1/studies/{slug}/webhooks": api(200, *EDITORS),
    "POST /api/v1/studies/{slug}/webhooks": api(422, *EDITORS),
    "DELETE /api/v1/studies/{slug}/webhooks/{number}": api(404, *EDITORS),
    "POST /api/v1/studies/{slug}/webhooks/{number}/test": api(404, *EDITORS),
    "GET /api/v1/studies/{slug}/webhooks/deliveries": api(200, *EDITORS),
    "GET /api/v1/studies/{slug}/ratings": api(200, *READERS),
    "GET /api/v1/studies/{slug}/estimates": api(200, *READERS),
    "GET /api/v1/studies/{slug}/ratings.csv": api(200, *READERS),
    "GET /api/v1/studies/{slug}/study.zip": api(200, *READERS),
    # Only the lead who deleted a study has its receipt.
    "GET /deleted-studies/{number}": leads(404),
    "GET /studies/{slug}/design": READ_PAGE,
    "POST /studies/{slug}/design/version": EDIT_CHANGE,
    "GET /studies/{slug}/design/preview": READ_PAGE,
    "GET /studies/{slug}/design/preview/text": READ_PAGE,
    "GET /studies/{slug}/design/text": READ_PAGE,
    "POST /studies/{slug}/design/text": study(422, *EDITORS),
    "GET /studies/{slug}/design/study.yaml": READ_PAGE,
    "GET /studies/{slug}/design/questions": READ_PAGE,
    "POST /studies/{slug}/design/questions": EDIT_CHANGE,
    "GET /studies/{slug}/design/questions/{number}": READ_PAGE,
    "POST /studies/{slug}/design/questions/{number}": EDIT_CHANGE,
    "GET /studies/{slug}/design/recruitment": READ_PAGE,
    "POST /studies/{slug}/design/recruitment": EDIT_CHANGE,
    "GET /studies/{slug}/design/{part}": READ_PAGE,
    "POST /studies/{slug}/design/{part}": EDIT_CHANGE,
    "GET /studies/{slug}/preregistration": READ_PAGE,
    "POST /studies/{slug}/preregistration": EDIT_CHANGE,
    "GET /studies/{slug}/preregistration/{number}.zip": study(404, *READERS),
    "GET /studies/{slug}/results": READ_PAGE,
    "GET /studies/{slug}/results/code/{script}": READ_PAGE,
    "GET /studies/{slug}/results/{part}": READ_PAGE,
    "GET /studies/{slug}/results.json": READ_PAGE,
    "GET /studies/{slug}/results.csv": READ_PAGE,
    "GET /studies/{slug}/report.{file_format}": READ_PAGE,
    "GET /studies/{slug}/ethics.{file_format}": READ_PAGE,
    "POST /studies/{slug}/snapshots": study(400, *READERS),
    # Nobody but a lead of its study sees where a snapshot is.
    "GET /snapshots/{token}": leads(404),
    "GET /studies/{slug}/charts.json": READ_PAGE,
    "GET /studies/{slug}/drawings/progress.svg": study(404, *EVERYBODY),
    "GET /studies/{slug}/drawings/{key}.svg": study(404, *READERS),
    "GET /studies/{slug}/charts/{key}.json": study(404, *READERS),
    "GET /studies/{slug}/charts/{key}.{picture}": study(404, *READERS),
    "GET /studies/{slug}/downloads": READ_PAGE,
    "GET /studies/{slug}/downloads/{file}": READ_PAGE,
    "GET /studies/{slug}/making/{part}": study(422, *READERS),
    "GET /studies/{slug}/made/{part}": study(422, *READERS),
    "GET /studies/{slug}/ratings.csv": READ_PAGE,
    "GET /studies/{slug}/export.zip": READ_PAGE,
    # Without an id in the link there is no rater to be; who has a place is sent to it.
    "GET /s/{slug}": raters(400, 303, 303, 400),
    "GET /s/{slug}/start": raters(403, 200, 200, 403),
    "POST /s/{slug}/start": raters(403, 303, 303, 403),
    "POST /s/{slug}/keys": raters(403, 303, 303, 403),
    "GET /s/{slug}/rate": raters(403, 200, 303, 403),
    "GET /s/{slug}/rate/{token}": raters(404, 200, 404, 404),
    "POST /s/{slug}/rate/{token}": raters(404, 422, 404, 404),
    "POST /s/{slug}/rate/{token}/save": raters(404, 422, 404, 404),
    # A study without conversations and drafts has none to write in: its raters are sent to their page.
    "POST /s/{slug}/rate/{token}/say": raters(404, 303, 404, 404),
    "POST /s/{slug}/rate/{token}/write": raters(404, 303, 404, 404),
    "POST /s/{slug}/rate/{token}/again": raters(404, 303, 404, 404),
    "POST /s/{slug}/rate/{token}/end": raters(404, 303, 404, 404),
    "GET /s/{slug}/rate/{token}/reply": raters(404, 200, 404, 404),
    "GET /s/{slug}/rate/{token}/partner": raters(404, 200, 404, 404),
    "POST /s/{slug}/rate/{token}/typing": raters(404, 204, 404, 404),
    "POST /s/{slug}/rate/{token}/alone": raters(404, 303, 404, 404),
    "POST /s/{slug}/rate/{token}/skip": raters(404, 409, 404, 404),
    "POST /s/{slug}/rate/{token}/problem": raters(404, 422, 404, 404),
    "GET /s/{slug}/problem": raters(403, 200, 200, 403),
    "POST /s/{slug}/problem": raters(403, 422, 422, 403),
    # Only by the token of an image, which only the pages that show it contain.
    "GET /s/{slug}/images/{token}": (404,) * 8,
    "GET /s/{slug}/messages": raters(403, 303, 303, 403),
    "POST /s/{slug}/messages": raters(403, 303, 303, 403),
    "GET /s/{slug}/pause": raters(403, 303, 303, 403),
    "POST /s/{slug}/pause": raters(403, 303, 303, 403),
    "GET /s/{slug}/paused": raters(403, 303, 303, 403),
    "GET /s/{slug}/consent": raters(403, 303, 303, 403),
    "POST /s/{slug}/consent": raters(403, 303, 303, 403),
    # Only a browser that has just refused sees it.
    "GET /s/{slug}/refused": (404,) * 8,
    "GET /s/{slug}/questions/{step}": raters(403, 303, 303, 403),
    "POST /s/{slug}/questions/{step}": raters(403, 303, 303, 403),
    "POST /s/{slug}/questions/{step}/save": raters(403, 409, 409, 403),
    "GET /s/{slug}/comprehension": raters(403, 303, 303, 403),
    "POST /s/{slug}/comprehension/{attempt}": raters(403, 303, 303, 403),
    "GET /s/{slug}/attention": raters(403, 303, 303, 403),
    "POST /s/{slug}/attention": raters(403, 303, 303, 403),
    "GET /s/{slug}/practice": raters(403, 303, 303, 403),
    "GET /s/{slug}/practice/{number}": raters(403, 303, 303, 403),
    "POST /s/{slug}/practice/{number}": raters(403, 303, 303, 403),
    "GET /s/{slug}/wave": raters(403, 303, 303, 403),
    "POST /s/{slug}/wave": raters(403, 303, 303, 403),
    "GET /s/{slug}/debrief": raters(403, 303, 303, 403),
    "POST /s/{slug}/debrief": raters(403, 303, 303, 403),
    "GET /s/{slug}/ended": raters(403, 303, 303, 403),
    "GET /s/{slug}/withdraw": raters(403, 200, 200, 403),
    "POST /s/{slug}/withdraw": raters(403, 303, 303, 403),
    # Only who has withdrawn has a receipt.
    "GET /s/{slug}/withdrawn": (403,) * 8,
    "GET /s/{slug}/privacy": ANYBODY,
    # Once they have finished or stopped.
    "GET /s/{slug}/my-data.json": (403,) * 8,
    "GET /s/{slug}/wait": raters(403, 303, 303, 403),
    "GET /s/{slug}/done": raters(403, 303, 303, 403),
    # Only at the address of a walk-through, and for drafts.
    "GET /s/{slug}/walk-through": (404,) * 8,
    "GET /s/{slug}/walk-through/phone": (404,) * 8,
    "POST /s/{slug}/walk-through/again": (404,) * 8,
    "POST /s/{slug}/walk-through/skip": raters(403, 404, 404, 403),
    "POST /s/{slug}/walk-through/partner": (404,) * 8,
    "POST /studies/{slug}/walk-through": EDIT_CHANGE,
}
FORMS: dict[str, dict[str, str]] = {
    "POST /sign-in": {"email": "nobody@example.org", "password": "a guess at it"},
    "POST /studies/{slug}/status": {"status": "paused"},
    "POST /studies/{slug}/plan/kept": {"difference": "0.3"},
    "POST /studies/{slug}/plan/size": {"setting": "raters_per_trial", "n": "4"},
    "POST /studies/{slug}/human-sample": {"n": "2", "stage": "1"},
    "POST /studies/{slug}/raters/{rater}/exclusion": {"reason": "asked to", "exclude": "true"},
    "POST /studies/{slug}/items/{item}/retirement": {"reason": "asked to", "retire": "true"},
    "POST /studies/{slug}/settings/title": {"title": "Another"},
    "POST /studies/{slug}/people": {"email": "new@example.org", "role": "analyst"},
    "POST /studies/{slug}/people/{member}/role": {"role": "analyst"},
    "POST /studies/{slug}/settings/copy": {"title": "Copy", "slug": "copy"},
}


# What programs send to the API as JSON.
BODIES: dict[str, dict[str, object]] = {
    "POST /api/v1/studies/{slug}/status": {"status": "paused"},
    "POST /api/v1/studies/{slug}/raters/{rater}/exclusion": {"exclude": True, "reason": "asked to"},
    "POST /api/v1/studies/{slug}/links": {"raters": ["new"], "pool": "none"},
}
