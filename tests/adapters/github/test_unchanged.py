"""What has not changed is asked for by its tag, and is not sent again."""

from bot.github.unchanged import MOST_ANSWERS, MOST_CHARACTERS, Answers, address_of
from tests.judges.wire import intercepted


def statuses(host, read):
    """Return the statuses of the answers while `read` is done."""
    seen = []

    def listen(request, send):
        response = send(request)
        seen.append((request.headers.get("If-None-Match") is not None, response.status_code))
        return response

    with intercepted(listen):
        found = read(host)
    return seen, found


def test_a_second_look_is_answered_with_nothing_but_not_modified(stage_of):
    host = stage_of("user").host
    first = host.base_head("main")

    seen, again = statuses(host, lambda it: it.base_head("main"))

    assert seen == [(True, 304)]
    assert again == first


def test_what_has_changed_is_read_anew(stage_of):
    stage = stage_of("user")
    before = stage.host.base_head("main")
    sha = stage.push("main", {"new": b"file"})

    seen, after = statuses(stage.host, lambda it: it.base_head("main"))

    assert seen == [(True, 200)]
    assert (after.sha, after.sha != before.sha) == (sha, True)


def test_another_identity_knows_nothing_of_it(stage_of):
    stage_of("user").host.base_head("main")

    seen, _ = statuses(stage_of("user").host, lambda it: it.base_head("main"))

    assert [tagged for tagged, _ in seen] == [False]


def test_an_answer_is_kept_under_its_address_and_parameters():
    answers = Answers()
    answers.keep(address_of("/a", {"page": 1}), {"etag": '"1"'}, "one")

    assert answers.find(address_of("/a", {"page": 1})).body == "one"
    assert answers.find(address_of("/a", {"page": 2})) is None
    assert answers.find(address_of("/a", None)) is None


def test_an_answer_without_a_tag_or_too_long_is_not_kept():
    answers = Answers()
    answers.keep(address_of("/a", None), {}, "one")
    answers.keep(address_of("/b", None), {"etag": '"1"'}, "x" * (MOST_CHARACTERS + 1))

    assert answers.find(address_of("/a", None)) is None
    assert answers.find(address_of("/b", None)) is None


def test_what_was_not_used_for_longest_is_forgotten_first():
    answers = Answers()
    for number in range(MOST_ANSWERS):
        answers.keep(address_of(f"/{number}", None), {"etag": '"1"'}, "")
    answers.find(address_of("/0", None))
    answers.keep(address_of("/more", None), {"etag": '"1"'}, "")

    assert answers.find(address_of("/0", None)) is not None
    assert answers.find(address_of("/1", None)) is None
