"""The lab has nothing that GitHub has not."""

import re

import pytest
from graphql import GraphQLInterfaceType, GraphQLObjectType

from bot.lab import graphql
from bot.lab.github_api import ROUTES
from tests.judges.graphql import github_schema
from tests.judges.openapi import github


@pytest.mark.parametrize(
    ("method", "path"),
    [pytest.param(method, path, id=f"{method} {path}") for method, path, _ in ROUTES if path != "/graphql"],
)
def test_each_route_is_an_operation_of_github(method: str, path: str):
    example = re.sub(r"\{\w+(:path)?\}", "1", path)
    operation = github().operation(method, example)
    assert operation
    assert re.sub(r"\{.*?\}", "{}", operation.template) == re.sub(r"\{.*?\}", "{}", path)


@pytest.mark.parametrize("name", ["Query", "Repository", "GitObject", "Commit", "Tree", "Blob"])
def test_each_field_of_the_schema_is_as_in_githubs(name: str):
    ours, theirs = graphql.SCHEMA.get_type(name), github_schema().get_type(name)
    assert isinstance(ours, GraphQLObjectType | GraphQLInterfaceType)
    assert isinstance(theirs, GraphQLObjectType | GraphQLInterfaceType)
    for field, definition in ours.fields.items():
        assert str(theirs.fields[field].type) == str(definition.type)
        for argument, wanted in definition.args.items():
            assert str(theirs.fields[field].args[argument].type) == str(wanted.type)
