"""The one issue about an image with which so many tests hang that the image is at fault.

It is known by its author and its first line, which names the bump's branch and with it base, track and tag.
"""

from collections.abc import Iterable

from bot.core.host import Issue


def bad_image_marker(branch: str) -> str:
    """Return the first line of the issue of the bump on `branch`."""
    return f"<!-- ngc-bump-bot:bad-image {branch} -->"


def find_bad_image(issues: Iterable[Issue], bot: int, branch: str) -> Issue | None:
    """Return the issue among `issues`, open or closed, that the account with the id `bot` wrote, if any.

    One that a person has closed stays closed: the image is still the one that was reported.
    """
    marker = bad_image_marker(branch)
    ours = (it for it in issues if it.author.id == bot)
    return next((it for it in ours if it.body.splitlines()[:1] == [marker]), None)
