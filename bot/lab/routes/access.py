"""What routes ask of their callers, by the tables "Permissions required for GitHub Apps".

https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps
"""

from bot.lab.answers import forbidden
from bot.lab.call import Access

METADATA = Access(("metadata",))
READ_CONTENTS = Access(("contents",))
WRITE_CONTENTS = Access(("contents",), "write", "write")
READ_PULLS = Access(("pull_requests",))
WRITE_PULLS = Access(("pull_requests",), "write")
READ_ISSUES = Access(("issues", "pull_requests"))
WRITE_ISSUES = Access(("issues", "pull_requests"), "write")
WRITE_LABELS = Access(
    ("issues", "pull_requests"),
    "write",
    "triage",
    lambda: forbidden("Must have admin rights to Repository."),
)
READ_PERMISSIONS = Access(
    ("metadata",),
    role="write",
    refusal=lambda: forbidden("Must have push access to view collaborator permission."),
)
READ_STATUSES = Access(("statuses",))
WRITE_STATUSES = Access(("statuses",), "write", "write")
READ_CHECKS = Access(("checks",))
READ_ACTIONS = Access(("actions",))
WRITE_ACTIONS = Access(
    ("actions",), "write", "write", lambda: forbidden("Must have admin rights to Repository.")
)
WRITE_CHECKS = Access(("checks",), "write", "write")
