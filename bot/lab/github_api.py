"""GitHub's REST and GraphQL API as an ASGI application over the records of the lab."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from itertools import count

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.lab.answers import ApiError, not_found
from bot.lab.bodies import read_body
from bot.lab.call import Answer, Call
from bot.lab.credentials import Credentials
from bot.lab.documents.site import Site
from bot.lab.graphql import answer_query
from bot.lab.records import Records
from bot.lab.routes import accounts, actions, checks, git_data, issues, pulls, repositories, search

Handler = Callable[[Call], Answer]

_REPOSITORY = "/repos/{owner}/{repo}"
_LIMIT = 5000

# Where two patterns fit one path, the first one answers: the longer endings stand before `{ref:path}` alone.
ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("GET", "/app", accounts.get_app),
    ("GET", "/app/installations", accounts.list_installations),
    ("GET", "/app/installations/{installation_id}", accounts.get_installation),
    ("POST", "/app/installations/{installation_id}/access_tokens", accounts.create_installation_token),
    ("GET", "/orgs/{org}/teams/{team_slug}/memberships/{username}", accounts.get_team_membership),
    ("GET", "/rate_limit", accounts.get_rate_limit),
    ("GET", "/search/issues", search.search_issues),
    ("GET", "/user", accounts.get_authenticated_user),
    ("GET", "/user/{account_id}", accounts.get_user_by_id),
    ("GET", "/users/{username}", accounts.get_user),
    ("POST", "/graphql", answer_query),
    ("GET", _REPOSITORY, repositories.get_repository),
    ("GET", f"{_REPOSITORY}/installation", accounts.get_repository_installation),
    ("GET", f"{_REPOSITORY}/actions/artifacts/{{artifact_id}}", actions.get_artifact),
    ("GET", f"{_REPOSITORY}/actions/artifacts/{{artifact_id}}/{{archive_format}}", actions.download_artifact),
    ("GET", f"{_REPOSITORY}/actions/jobs/{{job_id}}", actions.get_job),
    ("GET", f"{_REPOSITORY}/actions/jobs/{{job_id}}/logs", actions.get_job_log),
    ("GET", f"{_REPOSITORY}/actions/runs", actions.list_runs),
    ("GET", f"{_REPOSITORY}/actions/runs/{{run_id}}", actions.get_run),
    ("GET", f"{_REPOSITORY}/actions/runs/{{run_id}}/artifacts", actions.list_artifacts),
    (
        "GET",
        f"{_REPOSITORY}/actions/runs/{{run_id}}/attempts/{{attempt_number}}/jobs",
        actions.list_jobs_of_attempt,
    ),
    ("POST", f"{_REPOSITORY}/actions/runs/{{run_id}}/cancel", actions.cancel_run),
    ("GET", f"{_REPOSITORY}/actions/runs/{{run_id}}/jobs", actions.list_jobs),
    ("POST", f"{_REPOSITORY}/actions/runs/{{run_id}}/rerun-failed-jobs", actions.rerun_failed_jobs),
    ("POST", f"{_REPOSITORY}/actions/jobs/{{job_id}}/rerun", actions.rerun_job),
    ("GET", f"{_REPOSITORY}/branches", repositories.list_branches),
    ("GET", f"{_REPOSITORY}/branches/{{branch:path}}", repositories.get_branch),
    ("POST", f"{_REPOSITORY}/check-runs", checks.create_check_run),
    ("PATCH", f"{_REPOSITORY}/check-runs/{{check_run_id}}", checks.update_check_run),
    ("GET", f"{_REPOSITORY}/collaborators/{{username}}/permission", repositories.get_permission),
    ("GET", f"{_REPOSITORY}/commits", repositories.list_commits),
    ("GET", f"{_REPOSITORY}/commits/{{ref:path}}/check-runs", checks.list_check_runs),
    ("GET", f"{_REPOSITORY}/commits/{{ref:path}}/status", checks.get_combined_status),
    ("GET", f"{_REPOSITORY}/commits/{{ref:path}}/statuses", checks.list_statuses),
    ("GET", f"{_REPOSITORY}/commits/{{ref:path}}", repositories.get_commit),
    ("GET", f"{_REPOSITORY}/compare/{{basehead:path}}", repositories.compare),
    ("GET", f"{_REPOSITORY}/contents/{{path:path}}", repositories.get_contents),
    ("POST", f"{_REPOSITORY}/git/blobs", git_data.create_blob),
    ("GET", f"{_REPOSITORY}/git/blobs/{{file_sha}}", git_data.get_blob),
    ("POST", f"{_REPOSITORY}/git/commits", git_data.create_commit),
    ("GET", f"{_REPOSITORY}/git/commits/{{commit_sha}}", git_data.get_git_commit),
    ("GET", f"{_REPOSITORY}/git/matching-refs/{{ref:path}}", git_data.list_matching_refs),
    ("GET", f"{_REPOSITORY}/git/ref/{{ref:path}}", git_data.get_ref),
    ("POST", f"{_REPOSITORY}/git/refs", git_data.create_ref),
    ("PATCH", f"{_REPOSITORY}/git/refs/{{ref:path}}", git_data.update_ref),
    ("DELETE", f"{_REPOSITORY}/git/refs/{{ref:path}}", git_data.delete_ref),
    ("POST", f"{_REPOSITORY}/git/trees", git_data.create_tree),
    ("GET", f"{_REPOSITORY}/git/trees/{{tree_sha}}", git_data.get_tree),
    ("GET", f"{_REPOSITORY}/issues", issues.list_issues),
    ("POST", f"{_REPOSITORY}/issues", issues.create_issue),
    ("GET", f"{_REPOSITORY}/issues/comments", issues.list_repository_comments),
    ("PATCH", f"{_REPOSITORY}/issues/comments/{{comment_id}}", issues.edit_comment),
    ("GET", f"{_REPOSITORY}/issues/comments/{{comment_id}}/reactions", issues.list_reactions),
    ("POST", f"{_REPOSITORY}/issues/comments/{{comment_id}}/reactions", issues.create_reaction),
    ("GET", f"{_REPOSITORY}/issues/{{number}}", issues.get_issue),
    ("PATCH", f"{_REPOSITORY}/issues/{{number}}", issues.edit_issue),
    ("GET", f"{_REPOSITORY}/issues/{{number}}/comments", issues.list_comments),
    ("POST", f"{_REPOSITORY}/issues/{{number}}/comments", issues.create_comment),
    ("GET", f"{_REPOSITORY}/issues/{{number}}/labels", issues.list_labels),
    ("POST", f"{_REPOSITORY}/issues/{{number}}/labels", issues.add_labels),
    ("GET", f"{_REPOSITORY}/labels/{{name:path}}", issues.get_label),
    ("POST", f"{_REPOSITORY}/merge-upstream", repositories.merge_upstream),
    ("GET", f"{_REPOSITORY}/pulls", pulls.list_pulls),
    ("POST", f"{_REPOSITORY}/pulls", pulls.create_pull),
    ("GET", f"{_REPOSITORY}/pulls/{{number}}", pulls.get_pull),
    ("PATCH", f"{_REPOSITORY}/pulls/{{number}}", pulls.edit_pull),
    ("GET", f"{_REPOSITORY}/pulls/{{number}}/commits", pulls.list_commits),
    ("GET", f"{_REPOSITORY}/pulls/{{number}}/files", pulls.list_files),
    ("POST", f"{_REPOSITORY}/statuses/{{sha}}", checks.create_status),
)


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A request that was answered; sizes in bytes, `query` as it came."""

    method: str
    path: str
    query: str
    status: int
    bytes_in: int
    bytes_out: int


@dataclass(slots=True)
class Fault:
    """What goes wrong the next `times` that `method` is asked of a path that matches the pattern `path`.

    With `carried_out` the request is done all the same, and only its answer is lost.
    """

    method: str
    path: str
    status: int = 502
    message: str = "Server Error"
    headers: Mapping[str, str] = field(default_factory=dict)
    carried_out: bool = False
    times: int = 1

    def meets(self, method: str, path: str) -> bool:
        """Whether this request is one of those that go wrong."""
        return self.times > 0 and method == self.method and re.fullmatch(self.path, path) is not None


def secondary_limit(method: str, path: str, retry_after: int) -> Fault:
    """Return the refusal of a client that creates too much too fast; `retry_after` is in seconds."""
    message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
    return Fault(method, path, 403, message, {"Retry-After": str(retry_after)})


class GitHubApi:
    """The application, with its log of requests and the faults to come.

    `before_request` is called with method and path ahead of each request: a story acts there
    in between two requests of the bot.
    """

    def __init__(self, records: Records, credentials: Credentials) -> None:
        self._records = records
        self._credentials = credentials
        self._requests = count(1)
        self.log: list[LogEntry] = []
        self.faults: list[Fault] = []
        self.before_request: Callable[[str, str], None] = lambda _method, _path: None
        routes = [Route(path, self._endpoint(handler), methods=[method]) for method, path, handler in ROUTES]
        fallback = Route(
            "/{path:path}", self._endpoint(_nothing), methods=["GET", "POST", "PATCH", "PUT", "DELETE"]
        )
        self.app = Starlette(routes=[*routes, fallback])

    def _endpoint(self, handler: Handler) -> Callable[[Request], object]:
        async def answer(request: Request) -> Response:
            raw = await request.body()
            with self._records.lock:
                return self._respond(handler, request, raw)

        return answer

    def _respond(self, handler: Handler, request: Request, raw: bytes) -> Response:
        method, path = request.method, request.url.path
        self.before_request(method, path)
        fault = next((fault for fault in self.faults if fault.meets(method, path)), None)
        if fault is None:
            answer = self._carry_out(handler, request, raw)
        else:
            fault.times -= 1
            if fault.carried_out:
                self._carry_out(handler, request, raw)
            failure = ApiError(fault.status, fault.message, headers=fault.headers)
            answer = Answer(failure.document, failure.status, failure.headers)
        content = b"" if answer.document is None else json.dumps(answer.document).encode()
        headers = self._rate_headers() | dict(answer.headers)
        status = answer.status
        if method == "GET" and status == HTTPStatus.OK:
            headers["ETag"] = f'"{hashlib.sha256(content).hexdigest()}"'
            if request.headers.get("if-none-match") == headers["ETag"]:
                content, status = b"", HTTPStatus.NOT_MODIFIED
        self.log.append(LogEntry(method, path, request.url.query, status, len(raw), len(content)))
        return Response(content, status, headers, media_type="application/json; charset=utf-8")

    def _carry_out(self, handler: Handler, request: Request, raw: bytes) -> Answer:
        try:
            caller = self._credentials.authenticate(request.headers.get("authorization"))
            call = Call(
                records=self._records,
                credentials=self._credentials,
                site=Site(self._records, str(request.base_url).rstrip("/")),
                caller=caller,
                path=request.path_params,
                query=dict(request.query_params),
                body=read_body(raw),
                url=str(request.url.replace(query="")),
            )
            return handler(call)
        except ApiError as error:
            return Answer(error.document, error.status, error.headers)

    def _rate_headers(self) -> dict[str, str]:
        used = next(self._requests)
        return {
            "X-GitHub-Request-Id": f"LAB:{used:06}",
            "X-RateLimit-Limit": str(_LIMIT),
            "X-RateLimit-Remaining": str(max(0, _LIMIT - used)),
            "X-RateLimit-Used": str(used),
            "X-RateLimit-Reset": str(int(self._records.now().timestamp()) + 3600),
            "X-RateLimit-Resource": "core",
        }


def _nothing(_call: Call) -> Answer:
    raise not_found()
