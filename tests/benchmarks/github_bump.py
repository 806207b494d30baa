"""What a bump on GitHub costs on the real tree, from nothing to an approved draft."""

import os
import tempfile
from collections import Counter
from pathlib import Path

from requests import PreparedRequest, Response

from bot.lab.server import GitHubLab
from tests.fakes.images import RELEASE_26_07, on_both_platforms
from tests.judges.wire import Send, intercepted
from tests.real.conftest import Repository
from tests.scenarios.conftest import IMAGE, REPOSITORY, Story


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


def main() -> None:
    git_directory = Path(os.environ["MEGATRON_LM_GIT"]).resolve()
    with GitHubLab.start() as lab, tempfile.TemporaryDirectory() as folder:
        story, wire = Story(lab, Path(folder)), Wire()
        on_the_real_tree(story, git_directory)
        story.registry.push(IMAGE, "27.01-py3", on_both_platforms(RELEASE_26_07))
        with intercepted(wire.send):
            outcome = story.bump("27.01-py3")
    for request, count in wire.requests.items():
        print(f"{count} x {request}")
    total = f"{wire.requests.total()} requests, {wire.bytes / 1000:.0f} kB uncompressed"
    print(f"approval: {outcome.approval}; {total}")


if __name__ == "__main__":
    main()
