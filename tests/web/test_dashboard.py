"""The pages on the wire: what they say, what they never say, and how they are asked for again."""

import re
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest
from starlette.applications import Starlette

from bot.core.board import Heartbeat, Standing
from bot.lab.server import serving
from tests.fakes.boards import ADDRESS, HOSTILE, NOW, bump, dashboard, empty_board, full_board


@pytest.fixture(scope="module")
def server():
    with serving() as stage:
        yield stage


@pytest.fixture
def get(server):
    def answer(path, board=None, **headers):
        server.app = Starlette(routes=dashboard(board or full_board()).routes())
        return httpx.get(server.url + path, headers=headers, timeout=20)

    return answer


def with_bump(**changed):
    board = full_board()
    repository = board.repositories[0]
    track = replace(repository.tracks[0], bumps=(bump(**changed),))
    return replace(board, repositories=(replace(repository, tracks=(track,)),))


def words(answer):
    text = re.sub(r"<svg.*?</svg>|<head>.*?</head>", "", answer.text, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text))


@pytest.mark.parametrize("path", ["/", ADDRESS, "/bumps/nobody/nothing/main/dev"])
def test_every_answer_allows_nothing_but_what_comes_from_the_same_host(get, path):
    headers = get(path).headers
    policy = dict(it.strip().split(" ", 1) for it in headers["content-security-policy"].split(";"))

    assert policy["default-src"] == "'none'"
    assert {policy[it] for it in ("style-src", "script-src", "img-src", "connect-src")} == {"'self'"}
    assert (policy["frame-ancestors"], policy["base-uri"], policy["form-action"]) == ("'none'",) * 3
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")


@pytest.mark.parametrize("path", ["/", ADDRESS])
def test_a_page_names_no_file_of_another_host_and_runs_nothing_inline(get, path):
    text = get(path).text

    assert re.findall(r'(?:src|<link[^>]+href)="(?!/)', text) == []
    assert (
        re.findall(r"<script(?! src)|<style|\sstyle=|\son[a-z]+=", text.replace("onerror=alert(2)", "")) == []
    )


def test_the_overview_says_of_each_track_where_it_stands(get):
    said = words(get("/"))

    for part in ("26.04-py3", "pins not in sync", "missing linux/arm64", "pushed again", "a person is asked"):
        assert part in said
    assert "expired 2026-06-20" in said
    assert "59 days left" in said
    assert "paused by ada: the cluster is down" in said


def test_the_page_of_a_bump_tells_its_way_its_verdicts_and_its_goldens(get):
    answer = get(ADDRESS)
    said = words(answer)

    for part in ("judged the run: 3 drift, 1 hang, 1 infra", "A person has to decide", "118 jobs passed"):
        assert part in said
    assert "no line of the log for 31 min" in said
    assert "1200 #14 ERROR: failed to do request" in said
    assert "54 no run on gb200 said anything of it" in said
    assert answer.text.index("te_tp1_pp4_vp1/golden_values") < answer.text.index("tp2_pp2/golden_values")


@pytest.mark.parametrize("path", ["/", ADDRESS])
def test_outside_text_stays_text(get, path):
    text = get(path).text

    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert not set(text) & {"\u202e", "\x1b"}


def test_an_address_that_is_not_for_everybody_is_no_link(get):
    board = with_bump(run_url="http://gitlab.internal/pipelines/1")

    text = get(ADDRESS, board).text

    assert 'href="http://gitlab.internal' not in text
    assert "no run to show" in text


def test_hostile_words_of_the_bot_cannot_leave_their_sentence(get):
    text = get(ADDRESS, with_bump(sentences=(f"`{HOSTILE}", f"`a` {HOSTILE} `"))).text

    assert "<script>alert" not in text
    assert "<code>a</code>" in text


@pytest.mark.parametrize("standing", list(Standing))
def test_every_standing_has_words(get, standing):
    answer = get(ADDRESS, with_bump(standing=standing))

    assert answer.status_code == 200
    assert standing in words(answer)


@pytest.mark.parametrize(
    ("beat", "said"),
    [
        (Heartbeat(timedelta(minutes=5)), "The heartbeat is missed"),
        (Heartbeat(timedelta(minutes=5), NOW - timedelta(hours=1), NOW), "The heartbeat is missed"),
        (Heartbeat(timedelta(minutes=5), NOW, NOW - timedelta(hours=1)), "something fails"),
    ],
)
def test_a_missed_heartbeat_is_said_on_top(get, beat, said):
    assert said in words(get("/", replace(full_board(), heartbeat=beat)))


def test_a_service_that_has_just_begun_says_so(get):
    said = words(get("/", empty_board()))

    assert "No repository has been looked at yet" in said
    assert "dry-run" in said


@pytest.mark.parametrize(
    "path",
    ["/bumps/a/b/main/dev", f"{ADDRESS}?tag=25.01-py3", "/bumps/%2e%2e/%2e%2e/x/y", "/bumps/a/b/%00/dev"],
)
def test_a_bump_that_is_not_known_is_not_found_and_is_not_repeated(get, path):
    answer = get(path)

    assert answer.status_code == 404
    assert "25.01-py3" not in answer.text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_can_be_done_there(get, server, method):
    get("/")

    assert httpx.request(method, f"{server.url}/").status_code == 405
    assert httpx.request(method, server.url + ADDRESS).status_code == 405


def test_a_base_with_a_slash_has_a_page(get):
    assert "a person is asked" in words(
        get("/bumps/NVIDIA/Megatron-LM/release/0.17/dev", with_bump_at("release/0.17"))
    )


def with_bump_at(base):
    return with_bump(base=base)


def test_what_has_not_changed_is_not_sent_again(get):
    tag = get("/").headers["etag"]

    again = get("/", **{"If-None-Match": f'"other", W/{tag}'})

    assert (again.status_code, again.content) == (304, b"")
    assert get("/", with_bump(), **{"If-None-Match": tag}).status_code == 200


def test_files_of_a_page_are_kept_for_ever_under_their_hash(get):
    for address in re.findall(r'"(/assets/[^"]+)"', get("/").text):
        answer = get(address)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        assert re.fullmatch(r"/assets/page\.[0-9a-f]{16}\.(css|js)", address)


def test_a_chart_is_an_image_that_is_drawn_once(get):
    address = f"/charts{ADDRESS.removeprefix('/bumps')}/26.06-py3/0.svg"
    every, farthest = get(address), get(f"{address}?farthest")

    assert every.headers["content-type"] == "image/svg+xml"
    assert "lm loss" in every.text
    assert "num-zeros" in every.text
    assert "lm loss" not in farthest.text
    assert get(address, **{"If-None-Match": every.headers["etag"]}).status_code == 304


@pytest.mark.parametrize("place", ["26.06-py3/99.svg", "25.01-py3/0.svg", "26.06-py3/-1.svg"])
def test_a_chart_of_nothing_is_not_found(get, place):
    assert get(f"/charts{ADDRESS.removeprefix('/bumps')}/{place}").status_code == 404
