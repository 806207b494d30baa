"""Commit statuses, which anybody who may push sets, and check runs, which are for Apps."""

from datetime import datetime

from bot.lab.answers import custom_error, forbidden, not_found, unprocessable
from bot.lab.bodies import Body
from bot.lab.call import Answer, Call
from bot.lab.documents.checks import check_run_document, combined_status_document, full_status_document
from bot.lab.model import CheckRun, Repository, Status
from bot.lab.routes.access import READ_CHECKS, READ_STATUSES, WRITE_CHECKS, WRITE_STATUSES
from bot.lab.routes.repositories import commit_of

_LONGEST_DESCRIPTION = 140
_STATES = ("error", "failure", "pending", "success")
_STATUSES = ("queued", "in_progress", "completed")
_CONCLUSIONS = (
    "action_required",
    "cancelled",
    "failure",
    "neutral",
    "skipped",
    "stale",
    "success",
    "timed_out",
)


def create_status(call: Call) -> Answer:
    repository = call.repository(WRITE_STATUSES)
    sha = call.path["sha"]
    if repository.git.kind(sha) != "commit":
        raise custom_error("Status", f"No commit found for SHA: {sha}")
    state = call.body.text("state")
    if state not in _STATES:
        raise custom_error("Status", "State is not included in the list")
    description = call.body.optional_text("description")
    if description and len(description) > _LONGEST_DESCRIPTION:
        raise custom_error("Status", "description is too long (maximum is 140 characters)")
    status = Status(
        id=call.records.new_id(),
        sha=sha,
        state=state,
        context=call.body.optional_text("context") or "default",
        description=description,
        target_url=call.body.optional_text("target_url"),
        creator=call.caller.user,
        created_at=call.records.now(),
    )
    repository.statuses.append(status)
    return Answer(full_status_document(call.site, repository, status), 201)


def list_statuses(call: Call) -> Answer:
    repository = call.repository(READ_STATUSES)
    found = _statuses(repository, commit_of(repository, call.path["ref"]))
    return call.page(found, lambda status: full_status_document(call.site, repository, status))


def get_combined_status(call: Call) -> Answer:
    repository = call.repository(READ_STATUSES)
    sha = commit_of(repository, call.path["ref"])
    newest = {status.context: status for status in reversed(_statuses(repository, sha))}
    found = list(newest.values())
    shown, headers = call.cut(found)
    return Answer(combined_status_document(call.site, repository, sha, found, shown), headers=headers)


def _statuses(repository: Repository, sha: str) -> list[Status]:
    """Return the statuses of a commit, the newest first."""
    return [status for status in reversed(repository.statuses) if status.sha == sha]


def list_check_runs(call: Call) -> Answer:
    """List the check runs of a commit, of each App and name the newest unless `filter=all`."""
    repository = call.repository(READ_CHECKS)
    sha = commit_of(repository, call.path["ref"])
    found = [run for run in reversed(repository.check_runs) if run.sha == sha]
    if call.query.get("filter", "latest") == "latest":
        newest = {(run.app.id, run.name): run for run in reversed(found)}
        found = sorted(newest.values(), key=lambda run: run.id, reverse=True)
    for key, read in (("check_name", "name"), ("status", "status")):
        found = [run for run in found if call.query.get(key) in {None, getattr(run, read)}]
    found = [run for run in found if call.query.get("app_id") in {None, str(run.app.id)}]
    shown, headers = call.cut(found)
    runs = [check_run_document(call.site, repository, run) for run in shown]
    return Answer({"total_count": len(found), "check_runs": runs}, headers=headers)


def create_check_run(call: Call) -> Answer:
    if call.caller.app is None:
        raise forbidden("You must authenticate via a GitHub App.")
    repository = call.repository(WRITE_CHECKS)
    body, sha = call.body, call.body.text("head_sha")
    name = body.text("name")
    if repository.git.kind(sha) != "commit":
        raise unprocessable(f"No commit found for SHA: {sha}")
    run = CheckRun(
        id=call.records.new_id(),
        app=call.caller.app,
        sha=sha,
        name=name,
        status="queued",
        conclusion=None,
        started_at=call.records.now(),
        completed_at=None,
        details_url=None,
        external_id="",
        output={"title": None, "summary": None, "text": None},
    )
    _apply(call, run)
    repository.check_runs.append(run)
    return Answer(check_run_document(call.site, repository, run), 201)


def update_check_run(call: Call) -> Answer:
    if call.caller.app is None:
        raise forbidden("You must authenticate via a GitHub App.")
    repository = call.repository(WRITE_CHECKS)
    number = call.number("check_run_id")
    run = next((run for run in repository.check_runs if run.id == number), None)
    if run is None:
        raise not_found()
    if run.app is not call.caller.app:
        raise forbidden(
            "Invalid app_id `{}` - check run can only be modified by the GitHub App that created it."
        )
    _apply(call, run)
    return Answer(check_run_document(call.site, repository, run))


def _apply(call: Call, run: CheckRun) -> None:
    body = call.body
    status = body.choice("status", _STATUSES)
    conclusion = body.choice("conclusion", _CONCLUSIONS)
    if status == "completed" and conclusion is None:
        raise unprocessable('Invalid request.\n\n"conclusion" wasn\'t supplied.')
    output = _output(body)
    run.name = body.optional_text("name") or run.name
    run.details_url = body.optional_text("details_url") or run.details_url
    run.external_id = body.optional_text("external_id") or run.external_id
    if conclusion:
        run.status, run.conclusion = "completed", conclusion
        run.completed_at = _time(body, "completed_at") or call.records.now()
    elif status:
        run.status, run.conclusion, run.completed_at = status, None, None
    run.started_at = _time(body, "started_at") or run.started_at
    run.output = output or run.output


def _output(body: Body) -> dict[str, str | None] | None:
    output = body.inner("output")
    if output is None:
        return None
    title = output.optional_text("title")
    return {"title": title, "summary": output.text("summary"), "text": output.optional_text("text")}


def _time(body: Body, name: str) -> datetime | None:
    text = body.optional_text(name)
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError as error:
        raise unprocessable(f"Invalid request.\n\n{text} is not a valid date-time.") from error
