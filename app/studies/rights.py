"""What each address of a study asks of the lead who uses it. One table; handlers do not ask again."""

from starlette.requests import Request

from app.accounts.roles import Right
from app.base.web.errors import ForbiddenError, NotFoundError
from app.studies.studies import StudyRow

_HANDLERS: dict[Right, tuple[str, ...]] = {
    Right.FOLLOW: (
        "show_study",
        "show_coverage",
        "show_progress_drawing",
        "show_raters",
        "show_people",
        "submit_leaving",
        "api_study",
        "api_raters",
    ),
    Right.READ: (
        "show_texts",
        "show_items",
        "show_item",
        "show_item_texts",
        "show_rater_answers",
        "show_conversations",
        "show_rater_page",
        "show_design",
        "show_design_preview",
        "show_preview_text",
        "show_text",
        "export_text",
        "show_questions_list",
        "show_question",
        "show_section",
        "show_recruitment",
        "show_settings",
        "show_plan",
        "show_human_sample",
        "show_rehearsal",
        "show_judges",
        "show_model_requests",
        "show_generated",
        "show_generated_texts",
        "show_prompt_comparison",
        "submit_copy",
        "show_results",
        "show_results_part",
        "submit_snapshot",
        "show_snapshot",
        "export_report_json",
        "export_model_code",
        "export_report_csv",
        "export_report",
        "show_preregistration",
        "export_preregistration",
        "export_ethics",
        "show_charts",
        "show_drawing",
        "show_chart",
        "export_chart",
        "export_picture",
        "show_downloads",
        "export_download",
        "export_ratings",
        "export_study",
        "show_making",
        "export_made",
        "show_tokens",
        "submit_token",
        "submit_token_revocation",
        "api_protocol",
        "api_items",
        "api_responses",
        "api_ratings",
        "api_estimates",
        "api_ratings_csv",
        "api_study_zip",
    ),
    Right.EDIT: (
        "submit_text_file",
        "submit_columns",
        "submit_image",
        "show_sheet_ratings",
        "submit_sheet_ratings",
        "submit_status",
        "submit_walk_through",
        "submit_size",
        "keep_plan",
        "submit_growth",
        "submit_version",
        "submit_preregistration",
        "submit_text",
        "submit_questions_list",
        "submit_question",
        "submit_section",
        "show_methods",
        "submit_methods",
        "submit_retirement",
        "submit_exclusion",
        "show_second_study",
        "submit_second_study",
        "show_text_review",
        "submit_text_review",
        "submit_simulated_deletion",
        "submit_release",
        "submit_link_revocation",
        "show_new_judge",
        "submit_new_judge",
        "show_new_generated",
        "submit_new_generated",
        "submit_text_decision",
        "submit_texts_used",
        "submit_run_stop",
        "submit_judge_again",
        "submit_run_redo",
        "submit_run_deletion",
        "submit_run_continue",
        "show_identity",
        "export_rater_data",
        "export_prolific",
        "submit_demographics",
        "export_bonus",
        "export_mturk",
        "export_sona",
        "export_due",
        "submit_recruitment",
        "submit_rater_invitations",
        "submit_title",
        "export_log",
        "show_prolific",
        "submit_approvals",
        "show_messages",
        "submit_message",
        "show_webhooks",
        "submit_webhook",
        "submit_webhook_change",
        "api_webhooks",
        "api_webhook",
        "api_webhook_deletion",
        "api_webhook_test",
        "api_deliveries",
        "api_status",
        "api_exclusion",
        "api_links",
        "api_new_items",
        "api_new_ratings",
    ),
}
RIGHT_OF = {handler: right for right, handlers in _HANDLERS.items() for handler in handlers}
REFUSED = "Your role in this study, {role}, does not allow this. An owner of the study can change your role."


def right_of(handler: str) -> Right:
    """The right that a handler asks for. One that the table does not name is for owners only."""
    return RIGHT_OF.get(handler, Right.OWN)


def check_right(request: Request, study: StudyRow | None) -> StudyRow:
    """The study, if this lead may do with it what this address does.

    Raises:
        NotFoundError: there is no such study, or the lead does not belong to it: both look the same.
        ForbiddenError: the lead's role does not allow it.
    """
    if study is None or study.role is None:
        raise NotFoundError
    if not study.may(right_of(request.scope["route"].name)):
        raise ForbiddenError(REFUSED.format(role=study.role))
    return study
