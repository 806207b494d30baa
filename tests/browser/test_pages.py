"""The pages in a real Chromium: for every reader, on every screen, and from this host alone."""

import re
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from bot.core.board import Standing
from tests.fakes.boards import ADDRESS, NOW, bump, empty_board, full_board

pytestmark = pytest.mark.component("chromium")

PAGES = {
    "overview": (full_board, "/"),
    "bump": (full_board, ADDRESS),
    "empty": (empty_board, "/"),
    "missing": (full_board, "/bumps/nobody/nothing/main/dev"),
}
SCHEMES, WIDTHS = ("light", "dark"), (360, 1280)
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_and_nothing_is_cut_off(screens, axe, name, scheme, width):
    board, path = PAGES[name]
    screens.show(board())

    with screens.visit(path, scheme, width) as visit:
        visit.page.screenshot(path=screens.folder / f"{name}-{scheme}-{width}.png", full_page=True)
        visit.page.evaluate(axe)
        found = visit.page.evaluate(
            "rules => axe.run(document, {runOnly: {type: 'tag', values: rules}})", RULES
        )
        wider = visit.page.evaluate("document.documentElement.scrollWidth - innerWidth")

    assert [(it["id"], it["nodes"][0]["html"]) for it in found["violations"]] == []
    assert len(found["passes"]) > 20
    assert wider <= 0


@pytest.mark.parametrize("standing", list(Standing))
def test_every_standing_can_be_read(screens, axe, standing):
    board = full_board()
    track = replace(board.repositories[0].tracks[0], bumps=(bump(standing=standing),))
    screens.show(replace(board, repositories=(replace(board.repositories[0], tracks=(track,)),)))

    for scheme in SCHEMES:
        with screens.visit(ADDRESS, scheme) as visit:
            visit.page.evaluate(axe)
            found = visit.page.evaluate("axe.run(document, {runOnly: ['color-contrast']})")
            assert [it["nodes"][0]["html"] for it in found["violations"]] == []
            assert visit.page.locator(".standing .badge").inner_text() == standing


@pytest.mark.parametrize("name", ["overview", "bump", "empty"])
def test_a_page_asks_no_other_host_and_breaks_no_rule_of_its_own(screens, name):
    board, path = PAGES[name]
    screens.show(board())

    with screens.visit(path) as visit:
        assert visit.hosts == {screens.host}
        assert visit.said == []


def test_hostile_text_runs_nothing_and_is_there_to_read(screens):
    screens.show(full_board())

    with screens.visit(ADDRESS) as visit:
        alerts = []
        visit.page.on("dialog", lambda dialog: alerts.append(dialog.message))
        assert visit.page.locator("code", has_text="<script>alert(1)</script>").count() > 0
        assert visit.page.locator("main script, main img:not([src^='/charts/'])").count() == 0
        assert alerts == []


def test_charts_are_drawn_and_have_words(screens):
    screens.show(full_board())

    with screens.visit(ADDRESS) as visit:
        images = visit.page.locator("figure img")
        assert images.count() == 3
        for image in images.all():
            assert image.evaluate("it => it.naturalWidth") > 100
            assert "old and new values" in image.get_attribute("alt")


def test_a_page_is_whole_without_scripts(screens):
    screens.show(full_board())

    with screens.visit("/", java_script_enabled=False) as visit:
        assert visit.page.locator("article").count() == 3
        visit.page.get_by_text("2 pins of main dev").click()
        assert visit.page.get_by_text("docker/.ngc_version.dev:1").first.is_visible()
        assert visit.page.locator("noscript meta[http-equiv=refresh]").count() == 1


def test_the_keyboard_reaches_everything_in_order_and_shows_where_it_is(screens):
    screens.show(full_board())

    with screens.visit("/") as visit:
        wanted = visit.page.locator("a, summary, [tabindex='0']").count()
        where = "it => [it.textContent.trim(), getComputedStyle(it).outlineStyle]"
        reached = []
        for _ in range(wanted):
            visit.page.keyboard.press("Tab")
            reached.append(visit.page.locator(":focus").evaluate(where))
        assert reached[0][0] == "Skip to the content"
        assert {outline for _, outline in reached} == {"solid"}
        assert len({text for text, _ in reached}) >= wanted - 2

        visit.page.reload()
        visit.page.keyboard.press("Tab")
        visit.page.keyboard.press("Enter")
        assert visit.page.evaluate("document.activeElement.id") == "content"


def test_a_screen_reader_finds_landmarks_headings_and_the_step_that_is_now(screens):
    screens.show(full_board())

    with screens.visit(ADDRESS) as visit:
        for role in ("banner", "main", "contentinfo", "navigation"):
            assert visit.page.get_by_role(role).count() == 1
        levels = [int(it.evaluate("it => it.tagName[1]")) for it in visit.page.get_by_role("heading").all()]
        assert levels[0] == 1
        assert all(after - before <= 1 for before, after in pairwise(levels))
        assert "a person is asked" in visit.page.locator("[aria-current=step]").inner_text()


@pytest.mark.parametrize("width", WIDTHS)
def test_tables_stay_tables_for_a_screen_reader_on_every_width(screens, width):
    screens.show(full_board())

    with screens.visit("/", width=width) as visit:
        assert visit.page.get_by_role("table").count() == 1
        assert visit.page.get_by_role("columnheader").count() == 7
        assert visit.page.get_by_role("rowheader").count() == 2


def test_an_open_page_keeps_itself_current_and_leaves_what_was_opened_open(screens):
    screens.show(full_board())

    with screens.visit("/") as visit:
        visit.page.locator("details summary").first.click()
        visit.page.locator("body").click(position={"x": 5, "y": 5})
        visit.page.evaluate("document.activeElement.blur()")
        screens.show(replace(full_board(), mode="stopped"), now=lambda: NOW + timedelta(hours=1))
        visit.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        visit.page.get_by_text("The heartbeat is missed").wait_for(timeout=10_000)

        assert re.search("looked around 1 h ago", visit.page.locator("#beat").inner_text())
        assert visit.page.locator("details[open]").count() == 1
        assert visit.said == []


def test_an_open_page_does_not_change_under_the_keyboard(screens):
    screens.show(full_board())

    with screens.visit("/") as visit:
        visit.page.locator("details summary").first.focus()
        screens.show(empty_board())
        with visit.page.expect_response(lambda it: it.status == 200):
            visit.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        visit.page.wait_for_timeout(200)

        assert visit.page.locator("article").count() == 3


def test_a_printed_page_has_the_addresses_of_its_links(screens):
    screens.show(full_board())

    with screens.visit(ADDRESS) as visit:
        visit.page.emulate_media(media="print")
        after = visit.page.locator(".standing a").evaluate("it => getComputedStyle(it, '::after').content")
        assert "attr(href)" in after or "/pull/7123" in after
        assert visit.page.pdf()[:5] == b"%PDF-"
