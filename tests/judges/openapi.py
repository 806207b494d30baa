"""Judges requests and answers of a REST API by its OpenAPI description; knows nothing of who sends them.

Requests are held to more than the description says in the letter: a query key or a body key that it
does not name is wrong, since GitHub would ignore it in silence.
"""

import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import jsonschema_rs

DESCRIPTION = Path(__file__).parent / "data" / "github-openapi.json.gz"

_METHODS = ("get", "post", "patch", "put", "delete")

# Values of these may hold slashes: https://docs.github.com/en/rest/git/refs, …/repos/contents.
_WITH_SLASHES = frozenset({"ref", "path", "branch", "basehead", "name"})

# What GitHub does and its description of an operation does not say, each with the reason.
_ALSO_IN_QUERY = {
    # Every list is paged: https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
    ("get", "/repos/{owner}/{repo}/git/matching-refs/{ref}"): frozenset({"per_page", "page"}),
}
_ALSO_AS_BODY: Mapping[tuple[str, str], Any] = {
    # The description of the key `labels` itself says that a list may be passed directly.
    ("post", "/repos/{owner}/{repo}/issues/{issue_number}/labels"): {
        "type": "array",
        "minItems": 1,
        "items": {"type": "string"},
    },
}
_ANSWERS_INSTEAD = {
    # The list repeats an older form of the schema in place, with parts that contradict each other.
    ("get", "/app/installations"): {"type": "array", "items": {"$ref": "#/components/schemas/installation"}}
}
# A fork may be gone; a label needs no description and an issue no text, as their own schemas say.
_FORGOTTEN_NULLS = re.compile(r"answer \d+ (?:(?:items/)?\d+/)?(?:head/repo|labels/\d+/description|body)")


@dataclass(frozen=True)
class Operation:
    """One method of one path."""

    method: str
    template: str
    pattern: re.Pattern[str]
    spec: Mapping[str, Any]


@dataclass(frozen=True)
class Finding:
    """What is wrong with a request or an answer, and where."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass
class OpenApi:
    """A description, ready to judge by."""

    document: Mapping[str, Any]
    operations: Sequence[Operation] = field(init=False)

    def __post_init__(self) -> None:
        found = [
            Operation(method, template, _pattern(template), item[method])
            for template, item in self.document["paths"].items()
            for method in _METHODS
            if method in item
        ]
        # A name that is written out is a closer fit than any value that could stand there.
        self.operations = sorted(
            found, key=lambda operation: -len(re.sub(r"\{.*?\}", "", operation.template))
        )
        schemas = self.document["components"]["schemas"]
        self._definitions = {name: _closed(schema) for name, schema in schemas.items()}
        self._validators: dict[tuple[object, ...], jsonschema_rs.Validator] = {}

    def operation(self, method: str, path: str) -> Operation | None:
        """Return the operation that a request means, or None."""
        for candidate in self.operations:
            if candidate.method == method.lower() and candidate.pattern.fullmatch(path):
                return candidate
        return None

    def judge_request(self, method: str, target: str, body: bytes | None) -> tuple[Finding, ...]:
        """Return what is wrong with a request; `target` is path and query as they stand on the wire."""
        parts = urlsplit(target)
        operation = self.operation(method, parts.path)
        if operation is None:
            return (Finding("path", "no such operation"),)
        values = operation.pattern.fullmatch(parts.path)
        given = {name: unquote(value) for name, value in (values.groupdict() if values else {}).items()}
        query = parse_qsl(parts.query, keep_blank_values=True)
        return (
            *self._judge_path(operation, given),
            *self._judge_query(operation, query),
            *self._judge_body(operation, body),
        )

    def _judge_path(self, operation: Operation, given: Mapping[str, str]) -> Iterator[Finding]:
        for parameter in self._parameters(operation, "path"):
            name = parameter["name"]
            yield from self._judge_text(operation, f"path {name}", parameter, given[name])

    def _judge_query(self, operation: Operation, query: Sequence[tuple[str, str]]) -> Iterator[Finding]:
        known = {parameter["name"]: parameter for parameter in self._parameters(operation, "query")}
        allowed = _ALSO_IN_QUERY.get((operation.method, operation.template), frozenset())
        for name, value in query:
            if name in known:
                yield from self._judge_text(operation, f"query {name}", known[name], value)
            elif name not in allowed:
                yield Finding(f"query {name}", "not described")
        for name, parameter in known.items():
            if parameter.get("required") and name not in dict(query):
                yield Finding(f"query {name}", "missing")

    def _judge_text(
        self, operation: Operation, where: str, parameter: Mapping[str, Any], text: str
    ) -> Iterator[Finding]:
        schema = self._resolve(parameter["schema"])
        value = _read(text, schema)
        yield from self._judge((operation.method, operation.template, where), where, schema, value)

    def _judge_body(self, operation: Operation, body: bytes | None) -> Iterator[Finding]:
        described = self._resolve(operation.spec.get("requestBody", {}))
        if not body:
            if described.get("required"):
                yield Finding("body", "missing")
            return
        if not described:
            yield Finding("body", "not described")
            return
        schema = described["content"]["application/json"]["schema"]
        other = _ALSO_AS_BODY.get((operation.method, operation.template))
        schema = {"anyOf": [schema, other]} if other else schema
        try:
            document = json.loads(body)
        except ValueError as error:
            yield Finding("body", f"not JSON: {error}")
            return
        yield from self._judge((operation.method, operation.template, "body"), "body", schema, document)

    def judge_answer(self, method: str, path: str, status: int, body: bytes) -> tuple[Finding, ...]:
        """Return what is wrong with an answer; a refusal that is not described must still look like one."""
        operation = self.operation(method, path)
        if operation is None:
            return ()
        where = f"answer {status}"
        # Every GET may be conditional:
        # https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
        if status == 304:
            return ()
        if status < 400 and str(status) not in operation.spec["responses"]:
            return (Finding(where, "not described"),)
        schema = self._answer_schema(operation, status)
        if schema is None or not body:
            return (Finding(where, "a body is not described"),) if body and status < 400 else ()
        document = json.loads(body)
        if status >= 400 and isinstance(document, dict):
            # Every refusal repeats its status; only the schema `basic-error` knows that.
            document.pop("status", None)
        found = self._judge((operation.method, operation.template, status), where, schema, document)
        return tuple(finding for finding in found if not _is_forgotten_null(finding))

    def _answer_schema(self, operation: Operation, status: int) -> Any:
        described = operation.spec["responses"].get(str(status))
        if described is None:
            return {"$ref": "#/components/schemas/basic-error"}
        content = self._resolve(described).get("content", {})
        schema = content.get("application/json", {}).get("schema")
        return _ANSWERS_INSTEAD.get((operation.method, operation.template), schema)

    def _judge(self, key: tuple[object, ...], where: str, schema: Any, value: Any) -> Iterator[Finding]:
        if key not in self._validators:
            self._validators[key] = self._validator(schema)
        for error in self._validators[key].iter_errors(value):
            at = "/".join(str(part) for part in error.instance_path)
            yield Finding(f"{where} {at}".rstrip(), error.message)

    def _validator(self, schema: Any) -> jsonschema_rs.Validator:
        return jsonschema_rs.Draft202012Validator({**_closed(schema), "$defs": self._definitions})

    def _parameters(self, operation: Operation, place: str) -> Iterator[Mapping[str, Any]]:
        for parameter in operation.spec.get("parameters", ()):
            resolved = self._resolve(parameter)
            if resolved["in"] == place:
                yield resolved

    def _resolve(self, node: Any) -> Any:
        while "$ref" in node:
            _, _, kind, name = node["$ref"].split("/")
            node = self.document["components"][kind][name]
        return node


@cache
def github() -> OpenApi:
    """Return the judge by GitHub's own description, read once."""
    return OpenApi(json.loads(gzip.decompress(DESCRIPTION.read_bytes())))


def _is_forgotten_null(finding: Finding) -> bool:
    return finding.what.startswith("null ") and _FORGOTTEN_NULLS.fullmatch(finding.where) is not None


def _pattern(template: str) -> re.Pattern[str]:
    def value(match: re.Match[str]) -> str:
        name = match[1]
        # The root of a repository has an empty path.
        text = r".*" if name == "path" else r".+" if name in _WITH_SLASHES else r"[^/]+"
        return f"(?P<{name}>{text})"

    return re.compile(re.sub(r"\\\{(\w+)\\\}", value, re.escape(template)))


def _read(text: str, schema: Mapping[str, Any]) -> Any:
    """Return the value that a text of a path or query stands for, by the type that the schema wants."""
    if schema.get("type") == "integer" and re.fullmatch(r"-?[0-9]+", text):
        return int(text)
    if schema.get("type") == "boolean" and text in {"true", "false"}:
        return text == "true"
    return text


def _closed(node: Any, *, may_close: bool = True) -> Any:
    """Return an OpenAPI 3.0 schema in the words of JSON Schema, with unknown keys forbidden.

    Alternatives beside `properties` only narrow what stands there, and parts of a whole know only
    their own keys: both stay open (`may_close` is false).
    """
    if isinstance(node, list):
        return [_closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return {"$ref": node["$ref"].replace("#/components/schemas/", "#/$defs/")}
    is_object = "properties" in node
    result: dict[str, Any] = {"additionalProperties": False} if is_object and may_close else {}
    for key, value in node.items():
        if key in {"anyOf", "oneOf", "allOf"}:
            # The alternatives that GitHub describes overlap: one of them at least, not exactly one.
            parts = [_closed(item, may_close=not is_object and key != "allOf") for item in value]
            result["anyOf" if key == "oneOf" else key] = parts
        elif key == "properties":
            result[key] = {name: _closed(schema) for name, schema in value.items()}
        elif key in {"items", "not", "additionalProperties"}:
            result[key] = _closed(value)
        elif key != "nullable":
            result[key] = value
    return {"anyOf": [result, {"type": "null"}]} if node.get("nullable") else result
