"""What a bump on GitHub costs on the real tree, from nothing to an approved draft."""

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from requests import PreparedRequest, Response

from bot.flows.bump import BumpOutcome
from bot.lab.server import GitHubLab
from tests.fakes.images import RELEASE_26_07, on_both_platforms
from tests.judges.wire import Send, intercepted
from tests.real.conftest import Repository
from tests.scenarios.conftest import BOT, IMAGE, REPOSITORY, Story


class Wire:
    """Counts requests and bytes, headers included; the lab does not compress, as GitHub does."""

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()
        self.bytes = 0

    def send(self, request: PreparedRequest, send: Send) -> Response:
        response = send(request)
        self.requests[f"{request.method} {request.path_url.split('?')[0]}"] += 1
        headers = [*request.headers.items(), *response.headers.items()]
        self.bytes += sum(len(f"{name}: {value}\r\n") for name, value in headers)
        self.bytes += len(request.body or "") + len(response.content)
        return response


def on_the_real_tree(story: Story, git_directory: Path) -> None:
    """Put the head of a real clone in the place of the lab's `main`; the objects are shared, not copied."""
    repository = story.lab.world.repository(REPOSITORY)
    (repository.git.directory / "objects" / "info" / "alternates").write_text(
        f"{git_directory / 'objects'}\n"
    )
    head = Repository(git_directory).git("rev-parse", "HEAD").decode().strip()
    repository.git.set_ref(repository.ref("refs/heads/main"), head)


def by_an_app(story: Story) -> None:
    """Let an App do everything."""
    by_both(story)
    del story.environ["GITHUB_TOKEN"]


def by_both(story: Story) -> None:
    """Let an App commit and gate where a user opens and approves."""
    keys = story.lab.app("bump-app", [REPOSITORY])
    story.environ |= {"BOT_APP_ID": str(keys.id), "BOT_APP_PRIVATE_KEY": keys.private_key}


def from_a_fork(story: Story) -> None:
    """Let a user without a place in the repository push to a fork."""
    story.lab.world.fork(REPOSITORY, BOT)
    story.environ["BOT_FORK"] = f"{BOT}/Megatron-LM"


def by_both_from_a_fork(story: Story) -> None:
    """Let an App commit to a fork where a user opens and approves."""
    by_both(story)
    from_a_fork(story)
    [app] = story.lab.world.apps.values()
    story.lab.world.install(app, BOT, [story.environ["BOT_FORK"]])


def beside_five(story: Story) -> None:
    """Let five other people's pull requests name the release, and move no pin."""
    for number in range(5):
        branch = f"other-{number}"
        story.lab.world.push(REPOSITORY, branch, {f"docs/{branch}.md": "27.01\n"}, "contributor")
        title = f"Fix test {number} on 27.01"
        story.lab.world.open_pull_request(REPOSITORY, branch, "main", "contributor", title=title)


SCENES: Mapping[str, Callable[[Story], None]] = {
    "user token": lambda _story: None,
    "App": by_an_app,
    "App and user": by_both,
    "fork": from_a_fork,
    "fork, App and user": by_both_from_a_fork,
    "five others name the release": beside_five,
}


def measure(prepare: Callable[[Story], None], git_directory: Path) -> tuple[Wire, BumpOutcome]:
    with GitHubLab.start() as lab, tempfile.TemporaryDirectory() as folder:
        story, wire = Story(lab, Path(folder)), Wire()
        on_the_real_tree(story, git_directory)
        story.registry.push(IMAGE, "27.01-py3", on_both_platforms(RELEASE_26_07))
        prepare(story)
        with intercepted(wire.send):
            return wire, story.bump("27.01-py3")


def main(names: Sequence[str]) -> None:
    """Measure the scenes of these names, or all of them; a single one is shown request by request."""
    git_directory = Path(os.environ["MEGATRON_LM_GIT"]).resolve()
    for name in names or SCENES:
        wire, outcome = measure(SCENES[name], git_directory)
        for request, count in wire.requests.items() if names else ():
            print(f"{count} x {request}")
        total = f"{wire.requests.total()} requests, {wire.bytes / 1000:.0f} kB uncompressed"
        print(f"{name}: {total}; approval: {outcome.approval}")


if __name__ == "__main__":
    main(sys.argv[1:])
