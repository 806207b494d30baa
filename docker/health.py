"""The health check of the image: status 0 while `/healthz` says that the service is well."""

# A script of the image, and part of no package.
# ruff: noqa: INP001

import os
import sys
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException

port = int(os.environ["BOT_LISTEN"].rpartition(":")[2])
try:
    # No proxy of the environment stands between a service and its own health check.
    connection = HTTPConnection("127.0.0.1", port, timeout=4)
    connection.request("GET", "/healthz")
    answer = connection.getresponse()
    print(answer.status, answer.read(2_000).decode("utf-8", "replace"))  # noqa: T201 - the daemon keeps it
    sys.exit(answer.status != HTTPStatus.OK)
except (OSError, HTTPException) as error:
    sys.exit(f"no answer: {error}")
