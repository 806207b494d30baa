"""GitHub's refusals as exceptions: status, message and `errors` in the words of its API."""

from collections.abc import Mapping, Sequence
from typing import Any

_DOCS = "https://docs.github.com/rest"


class ApiError(Exception):
    """An answer other than success; `document` is its body."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        errors: Sequence[Any] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(f"{status} {message} {list(errors) or ''}".rstrip())
        self.status = status
        self.message = message
        self.errors = tuple(errors)
        self.headers = dict(headers or {})

    @property
    def document(self) -> dict[str, Any]:
        """The body, as documented in "Troubleshooting the REST API"."""
        body: dict[str, Any] = {"message": self.message}
        if self.errors:
            body["errors"] = list(self.errors)
        return body | {"documentation_url": _DOCS, "status": str(self.status)}


def bad_credentials() -> ApiError:
    """The token is unknown, revoked or expired."""
    return ApiError(401, "Bad credentials")


def requires_authentication() -> ApiError:
    """The route answers nobody without a token."""
    return ApiError(401, "Requires authentication")


def bad_json_web_token(message: str = "A JSON web token could not be decoded") -> ApiError:
    """The route is for Apps, and what came is no good proof of one."""
    return ApiError(401, message)


def forbidden(message: str) -> ApiError:
    """The caller is known and may not."""
    return ApiError(403, message)


def not_found() -> ApiError:
    """There is no such thing, or the caller may not know that there is."""
    return ApiError(404, "Not Found")


def conflict(message: str) -> ApiError:
    """The state of the repository does not allow it."""
    return ApiError(409, message)


def unprocessable(message: str) -> ApiError:
    """The request is well formed and cannot be done."""
    return ApiError(422, message)


def validation_failed(*errors: Mapping[str, str]) -> ApiError:
    """Fields of the request are not as they must be."""
    return ApiError(422, "Validation Failed", errors=errors)


def invalid_field(resource: str, field: str, code: str = "invalid") -> ApiError:
    """One field is wrong: `missing_field`, `invalid`, `already_exists` and the like."""
    return validation_failed({"resource": resource, "field": field, "code": code})


def custom_error(resource: str, message: str) -> ApiError:
    """A rule that no field alone breaks."""
    return validation_failed({"resource": resource, "code": "custom", "message": message})
