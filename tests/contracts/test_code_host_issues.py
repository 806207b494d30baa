"""Issues, labels and folders, as every code host has them."""

from datetime import timedelta

import pytest

from bot.core.errors import Refused


@pytest.fixture
def host(full_stage):
    return full_stage.host


def test_an_issue_is_opened_and_found_again(host):
    opened = host.open_issue("Quarantined: t", "The text", ["a label"])

    assert (opened.title, opened.body, opened.state) == ("Quarantined: t", "The text", "open")
    assert opened.author == host.actor("comment")
    assert opened.labels == ("a label",)
    assert host.issue(opened.number) == opened
    assert host.bot_issues() == (opened,)


def test_the_bots_issues_come_newest_first_closed_ones_included(host):
    numbers = [host.open_issue(f"Issue {at}", "", []).number for at in range(3)]
    host.set_issue_state(numbers[1], "closed")

    assert [(it.number, it.state) for it in host.bot_issues()] == [
        (numbers[2], "open"),
        (numbers[1], "closed"),
        (numbers[0], "open"),
    ]


def test_an_issue_is_closed_and_opened_again(host):
    number = host.open_issue("Issue", "", []).number

    host.set_issue_state(number, "closed")
    assert host.issue(number).state == "closed"
    host.set_issue_state(number, "open")
    assert host.issue(number).state == "open"


def test_an_issue_is_edited_and_its_state_stays(host):
    number = host.open_issue("Issue", "before", []).number
    host.set_issue_state(number, "closed")

    host.edit_issue(number, "after")

    assert (host.issue(number).body, host.issue(number).state) == ("after", "closed")


def test_an_issue_takes_comments(host):
    number = host.open_issue("Issue", "", []).number

    made = host.write_comment(number, "Text")

    assert host.comments(number) == (made,)


def test_issues_of_others_are_not_the_bots(full_stage, host):
    number = full_stage.open_issue("Mine", "<!-- ngc-bump-bot:quarantine -->")

    assert host.bot_issues() == ()
    assert host.issue(number).author != host.actor("comment")


def test_a_pull_request_is_no_issue(full_stage, host):
    full_stage.point("topic", host.base_head("main").sha)
    full_stage.push("topic", {"x": b"x"})
    number = full_stage.open_pull_request("topic", "main", "Other")

    assert host.issue(number) is None
    assert host.issue(number + 1000) is None
    assert host.bot_issues() == ()


def test_an_issue_that_is_not_there_is_not_edited(host):
    with pytest.raises(Refused):
        host.edit_issue(1000, "text")


def test_labels_that_the_repository_lacks_are_left_out(full_stage, host):
    full_stage.add_label("quarantine")

    assert host.labels_of(["quarantine", "absent"]) == ("quarantine",)


def test_the_files_below_a_folder_are_listed(host):
    sha = host.base_head("main").sha

    assert host.list_files(sha, "docker") == ("docker/Dockerfile", "docker/build/notes.txt")
    assert host.list_files(sha, "docker/build") == ("docker/build/notes.txt",)
    assert host.list_files(sha, "absent") == ()


def test_what_was_discussed_is_found_by_the_moment_of_its_newest_comment(host):
    first, second, silent = (host.open_issue(f"Issue {at}", "", []).number for at in range(3))
    made = host.write_comment(first, "Text")
    other = host.write_comment(second, "Text")

    found = host.discussed_since(made.created_at)

    assert found == {first: made.created_at, second: other.created_at}
    assert silent not in found


def test_nothing_was_discussed_after_the_last_comment(host):
    made = host.write_comment(host.open_issue("Issue", "", []).number, "Text")

    assert host.discussed_since(made.created_at + timedelta(minutes=1)) == {}
