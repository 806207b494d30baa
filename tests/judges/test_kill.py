"""A process that is killed in the middle leaves behind what its requests had done until then."""

import pytest

from bot.lab.server import GitHubLab
from tests.judges.kill import Killed, killed, writes
from tests.lab.client import Api, api

REPO = "/repos/acme/widgets"


@pytest.fixture
def widgets(lab: GitHubLab) -> GitHubLab:
    lab.world.add_repository("acme/widgets", {"a": "1"})
    lab.world.set_role("acme/widgets", "ann", "write")
    return lab


def work(client: Api, sha: str) -> None:
    client.get(f"{REPO}/branches/main")
    client.post(f"{REPO}/git/refs", {"ref": "refs/heads/one", "sha": sha})
    client.get(f"{REPO}/branches/one")
    client.post(f"{REPO}/git/refs", {"ref": "refs/heads/two", "sha": sha})


def careless(client: Api) -> None:
    try:
        client.get(f"{REPO}/branches/main")
    except Exception:  # noqa: BLE001 - what careless code does
        pytest.fail("the process went on")


def branches(lab: GitHubLab) -> list[str]:
    repository = lab.world.repository("acme/widgets")
    prefix = repository.ref("refs/heads/")
    return [name.removeprefix(prefix) for name in repository.git.refs(prefix)]


@pytest.mark.parametrize(
    ("at", "when", "left"),
    [
        pytest.param(2, "before", ["main"], id="before the server hears of it"),
        pytest.param(2, "after", ["main", "one"], id="after the server has done it"),
        pytest.param(4, "before", ["main", "one"], id="before the last one"),
        pytest.param(4, "after", ["main", "one", "two"], id="after the last one"),
    ],
)
def test_the_world_stays_as_it_was_at_the_moment_of_death(
    widgets: GitHubLab, at: int, when: str, left: list[str]
):
    sha = widgets.world.repository("acme/widgets").branch("main") or ""
    with api(widgets, "ann") as client, pytest.raises(Killed), killed(at, when):
        work(client, sha)
    assert branches(widgets) == left


def test_only_writes_may_be_counted(widgets: GitHubLab):
    sha = widgets.world.repository("acme/widgets").branch("main") or ""
    with api(widgets, "ann") as client, killed(None, "before", which=writes) as count:
        work(client, sha)
    assert count.begun == 2


def test_the_dead_send_nothing_more(widgets: GitHubLab):
    sha = widgets.world.repository("acme/widgets").branch("main") or ""
    with api(widgets, "ann") as client, killed(1, "after", which=writes):
        with pytest.raises(Killed):
            work(client, sha)
        with pytest.raises(Killed):
            client.get(f"{REPO}/branches/main")
        with pytest.raises(Killed):
            work(client, sha)
    assert branches(widgets) == ["main", "one"]


def test_no_handler_of_exceptions_saves_the_dead(widgets: GitHubLab):
    with api(widgets, "ann") as client, pytest.raises(Killed), killed(1, "before"):
        careless(client)


def test_whoever_starts_again_goes_on(widgets: GitHubLab):
    sha = widgets.world.repository("acme/widgets").branch("main") or ""
    with api(widgets, "ann") as client, pytest.raises(Killed), killed(2, "after"):
        work(client, sha)
    with api(widgets, "ann") as client:
        work(client, sha)
    assert branches(widgets) == ["main", "one", "two"]
