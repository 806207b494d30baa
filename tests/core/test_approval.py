"""Who has said `/ok to test` to which commit: what counts, and what only looks like it."""

from datetime import UTC, datetime

import pytest

from bot.core.approval import (
    VouchedCommit,
    acknowledged,
    approval_text,
    approved_by_bot,
    named_in,
    possible_vetters,
    unvouched,
)
from bot.core.host import Actor, Comment, Commit

SHA, OTHER = "60db1d25" + "3f" * 16, "858226e0" + "4a" * 16
BOT, ADA, EVE, APP = (
    Actor(1, "bump-bot"),
    Actor(2, "ada"),
    Actor(3, "eve"),
    Actor(4, "helper[bot]", is_app=True),
)


def said(body, author=ADA):
    return Comment(1, author, body, datetime(2026, 6, 1, tzinfo=UTC))


def test_the_bot_asks_with_one_line_and_nothing_else():
    assert approval_text(SHA) == f"/ok to test {SHA}"
    assert named_in(said(approval_text(SHA))) == SHA


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"/ok to test {SHA}", id="the command"),
        pytest.param(f"/ok to test {SHA}\n", id="with a line end"),
        pytest.param(f"/ok to test {SHA}\r\n", id="as a browser sends it"),
        pytest.param(f"/ok to test {SHA} \t", id="with blanks behind"),
        pytest.param(f"/ok to test  {SHA}", id="with two blanks, as people type it"),
        pytest.param(
            f"/ok to test {SHA}\n\nLooked at the tests, fine.", id="with a word of explanation below"
        ),
        pytest.param(f"/ok to test {SHA}\r\n/ok to test {OTHER}", id="the first of two counts"),
    ],
)
def test_a_full_sha_alone_on_the_first_line_names_a_commit(body):
    assert named_in(said(body)) == SHA


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("", id="nothing"),
        pytest.param("/ok to test", id="no sha"),
        pytest.param(f"/ok to test {SHA[:7]}", id="seven digits"),
        pytest.param(f"/ok to test {SHA[:39]}", id="39 digits"),
        pytest.param(f"/ok to test {SHA}0", id="41 digits"),
        pytest.param(f"/ok to test {SHA.upper()}", id="capitals, as no sha is written"),
        pytest.param("/ok to test HEAD", id="a name"),
        pytest.param(
            f"/ok to test [{SHA[:7]}](https://github.com/o/n/pull/1/commits/{SHA})",
            id="a link around the sha",
        ),
        pytest.param(f"/ok to test https://github.com/o/n/commit/{SHA}", id="an address"),
        pytest.param(f"/ok to test {SHA} please", id="words behind"),
        pytest.param(f"please /ok to test {SHA}", id="words before"),
        pytest.param(f"/ok to test `{SHA}`", id="the sha as code"),
        pytest.param(f"`/ok to test {SHA}`", id="a code span"),
        pytest.param(f"```\n/ok to test {SHA}\n```", id="a code block"),
        pytest.param(f"    /ok to test {SHA}", id="a code block by its indent"),
        pytest.param(f"\t/ok to test {SHA}", id="a code block by a tab"),
        pytest.param(f"> /ok to test {SHA}", id="a quote"),
        pytest.param(f"> who said this?\n\n/ok to test {SHA}", id="below a quote"),
        pytest.param(f"- /ok to test {SHA}", id="a list"),
        pytest.param(f"<!--\n/ok to test {SHA}\n-->", id="an HTML comment"),
        pytest.param(f"\n/ok to test {SHA}", id="on the second line"),
        pytest.param(f"\u2028/ok to test {SHA}", id="behind a line separator"),
        pytest.param(f"\u200b/ok to test {SHA}", id="behind an invisible character"),
        pytest.param(f"/ok to test\u00a0{SHA}", id="a blank that is none"),
        pytest.param(f"/ok to test\n{SHA}", id="over two lines"),
        pytest.param(f"/OK to test {SHA}", id="in capitals"),
        pytest.param(f"/ok to test {SHA}\u2028hidden", id="more behind a line separator"),
        pytest.param(f"/ok to test {SHA}\rhidden", id="more behind a carriage return"),
        pytest.param(f"/ok to test {SHA[:-1]}\uff11", id="a digit of another script"),
    ],
)
def test_nothing_else_names_a_commit(body):
    assert named_in(said(body)) is None


def test_people_may_be_vetters_whoever_the_bot_writes_as_and_apps_never():
    comments = [
        said(approval_text(SHA), BOT),
        said(approval_text(SHA), APP),
        said(approval_text(SHA), EVE),
        said(approval_text(OTHER), ADA),
        said(approval_text("0" * 40), ADA),
        said("looks good", ADA),
        said(approval_text(SHA), EVE),
    ]

    assert possible_vetters(comments, [SHA, OTHER]) == (
        ("bump-bot", SHA),
        ("eve", SHA),
        ("ada", OTHER),
    )


def test_a_person_with_the_name_of_the_bot_is_not_the_bot():
    impostor = Actor(99, "bump-bot")

    assert approved_by_bot([said(approval_text(SHA), impostor)], BOT.id, SHA) is None
    assert possible_vetters([said(approval_text(SHA), impostor)], [SHA]) == (("bump-bot", SHA),)


@pytest.mark.parametrize(
    ("thumbs_up", "is_taken"),
    [
        pytest.param([], False, id="nobody"),
        pytest.param([ADA, Actor(7, "copy-pr-bot[bot]", is_app=True)], True, id="copy-pr-bot beside others"),
        pytest.param([APP], False, id="another App"),
        pytest.param([Actor(7, "copy-pr-bot")], False, id="a person of a like name"),
        pytest.param([Actor(7, "copy-pr-bot[bot]")], False, id="what is no App"),
    ],
)
def test_only_copy_pr_bots_own_thumbs_up_shows_that_it_has_taken_a_commit(thumbs_up, is_taken):
    assert acknowledged(thumbs_up) == is_taken


@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param(approval_text(SHA), True, id="its approval"),
        pytest.param(f"{approval_text(SHA)}\r\n", True, id="as the host hands it back"),
        pytest.param(approval_text(OTHER), False, id="of another commit"),
        pytest.param(f"{approval_text(SHA)} and more", False, id="with more behind"),
        pytest.param(f"`{approval_text(SHA)}`", False, id="in a message"),
    ],
)
def test_the_bot_knows_its_own_approval_again(body, found):
    comment = said(body, BOT)

    assert approved_by_bot([said("hello", BOT), comment], BOT.id, SHA) == (comment if found else None)


def test_commits_that_nobody_vouches_for_are_named_oldest_first():
    commits = [Commit(name, "tree", (), "ada", "subject") for name in "abcde"]
    vouchers = ["ledger", None, "vetter", None, "same tree"]

    found = unvouched([VouchedCommit(it, voucher) for it, voucher in zip(commits, vouchers, strict=True)])

    assert [it.sha for it in found] == ["b", "d"]
