"""Which page of Help each page of the lead is explained on."""

from __future__ import annotations

from starlette.requests import Request

# By the name of the handler that answers with the page; pages that are not listed link to the index.
TOPICS = {
    "show_studies": "tutorial",
    "show_new_study": "tutorial#1-start",
    "submit_new_study": "study-folder",
    "show_template": "templates",
    "submit_template": "templates",
    "submit_spreadsheet": "tutorial#2-texts",
    "show_texts": "tutorial#2-texts",
    "submit_text_file": "tutorial#2-texts",
    "show_study": "tutorial#6-follow-the-ratings",
    "show_design": "editing-a-study",
    "show_section": "editing-a-study",
    "show_questions_list": "editing-a-study",
    "show_question": "protocol#questions",
    "show_text": "protocol",
    "submit_text": "protocol",
    "show_preregistration": "editing-a-study",
    "show_plan": "planning",
    "show_items": "results",
    "show_item": "results",
    "show_raters": "raters",
    "show_rater_invitations": "experts",
    "submit_rater_invitations": "experts",
    "show_messages": "raters",
    "show_judges": "models",
    "show_new_judge": "models",
    "show_generated": "models",
    "show_new_generated": "models",
    "show_generated_texts": "models",
    "show_prompt_comparison": "models",
    "show_webhooks": "webhooks",
    "show_results": "results",
    "show_results_part": "statistics",
    "show_snapshot": "results",
    "show_downloads": "study-folder",
    "show_people": "who-may-do-what",
    "show_settings": "editing-a-study#copy-archive-delete",
    "show_tokens": "api",
    "show_account": "security#leads",
}


def help_for(request: Request) -> str:
    """The address of the page of Help that explains the page of this request."""
    endpoint = request.scope.get("endpoint")
    topic = TOPICS.get(getattr(endpoint, "__name__", ""), "")
    return f"/help/{topic}" if topic else "/help"
