"""Records as the JSON documents of GitHub's REST API, complete as its OpenAPI description has them."""
