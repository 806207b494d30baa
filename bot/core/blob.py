"""The id under which git keeps a file's bytes.

Source: https://git-scm.com/book/en/v2/Git-Internals-Git-Objects
"""

import hashlib


def blob_id(data: bytes) -> str:
    """Return the id, 40 hex digits, of a file of these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
