"""The judge of GraphQL catches what GitHub's schema does not know."""

import json

import pytest

from tests.judges.graphql import judge_query

BLOB = "... on Blob { oid text isBinary isTruncated byteSize }"
FILES = f"""
query($e: String!) {{
  repository(owner: "a", name: "b") {{ f0: object(expression: $e) {{ {BLOB} }} }}
}}"""


def judged(query: str, **more: object) -> tuple[str, ...]:
    return judge_query(json.dumps({"query": query, **more}).encode())


def test_many_files_in_one_query_pass():
    assert judged(FILES, variables={"e": "main:a"}) == ()


@pytest.mark.parametrize(
    ("query", "variables", "said"),
    [
        pytest.param(
            FILES.replace("isBinary", "is_binary"),
            {"e": "main:a"},
            "Cannot query field 'is_binary' on type 'Blob'",
            id="a field of no type",
        ),
        pytest.param(
            FILES.replace("... on Blob ", "... on File "),
            {"e": "x"},
            "Unknown type 'File'",
            id="a type of no schema",
        ),
        pytest.param(
            FILES.replace("expression:", "path:"),
            {"e": "x"},
            "Unknown argument 'path'",
            id="an argument of no field",
        ),
        pytest.param(
            FILES.replace("String!", "Int!"),
            {"e": 1},
            "used in position expecting type 'String'",
            id="a variable of another type",
        ),
        pytest.param(
            FILES, {}, "Expected a value of non-null type 'String!'", id="a variable without a value"
        ),
        pytest.param(
            FILES, {"e": 7}, "String cannot represent a non string value", id="a value of another type"
        ),
        pytest.param(FILES, {"e": "x", "f": "y"}, "`f` is not declared", id="a value for no variable"),
        pytest.param("query {", {}, "Syntax Error", id="a query that ends too soon"),
        pytest.param(
            '{ repository(owner: "a") { id } }',
            {},
            "of type 'String!' is required",
            id="an argument left out",
        ),
    ],
)
def test_a_wrong_query_is_caught(query: str, variables: dict, said: str):
    found = judged(query, variables=variables)
    assert any(said in finding for finding in found), found


def test_an_unknown_key_of_the_body_is_caught():
    assert judged("{ rateLimit { cost } }", variable={}) == ("body: `variable` is not described",)


def test_a_body_without_a_query_is_caught():
    assert judge_query(b"{}") == ("body: `query` is missing",)
