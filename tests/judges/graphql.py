"""Judges GraphQL queries by GitHub's published schema, cut to what concerns git objects."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from graphql import GraphQLError, GraphQLSchema, build_schema, parse, validate
from graphql.execution import get_variable_values
from graphql.language import OperationDefinitionNode

SCHEMA = Path(__file__).parent / "data" / "github-schema.graphql"


@cache
def github_schema() -> GraphQLSchema:
    """Return GitHub's schema, read once."""
    return build_schema(SCHEMA.read_text())


def judge_query(body: bytes) -> tuple[str, ...]:
    """Return what is wrong with the body of a `POST /graphql`: its keys, the query, its variables."""
    document: Any = json.loads(body)
    if not isinstance(document, dict) or not isinstance(document.get("query"), str):
        return ("body: `query` is missing",)
    found = [
        f"body: `{key}` is not described" for key in document.keys() - {"query", "variables", "operationName"}
    ]
    try:
        query = parse(document["query"])
    except GraphQLError as error:
        return (*found, f"query: {error.message}")
    found += [f"query: {error.message}" for error in validate(github_schema(), query)]
    operations = [node for node in query.definitions if isinstance(node, OperationDefinitionNode)]
    if not found and operations:
        found += _judge_variables(operations[0], document.get("variables") or {})
    return tuple(found)


def _judge_variables(operation: OperationDefinitionNode, given: dict[str, Any]) -> list[str]:
    declared = operation.variable_definitions or ()
    values = get_variable_values(github_schema(), declared, given)
    wrong = [f"variables: {error.message}" for error in values] if isinstance(values, list) else []
    names = {variable.variable.name.value for variable in declared}
    return wrong + [f"variables: `{name}` is not declared" for name in given.keys() - names]
