"""What becomes of each golden that a run offers."""

import pytest

from bot.core.goldens.coverage import FileReason
from bot.core.goldens.offer import Offer, is_named, judge_offers
from bot.core.goldens.refresh import Policy
from tests.core.goldens.made import GOLDENS, PATH, ROOT, training

OLD = training(lm_loss=[10.0] * 10)
NEAR = training(lm_loss=[10.1, *[10.0] * 9])
FAR = training(lm_loss=[20.0] * 10)
SHORT = training(lm_loss=[10.0] * 9)
POLICY = Policy(GOLDENS, has_linter=False)
DOUBT = "large-drift: an approximate comparison failed"


def path(test: str) -> str:
    return f"{ROOT}/gpt/{test}/golden_values_dev_dgx_h100.json"


def offer(content: bytes, test="small_tp1", doubt: str | None = None) -> Offer:
    return Offer(path(test), f"gpt/{test}", "dgx_h100", content, doubt)


def judged(*offers: Offer, accepted=(), old=OLD):
    return judge_offers(offers, {it.file: old for it in offers}, POLICY, accepted)


def test_a_small_change_is_written_and_compared():
    found = judged(offer(NEAR))

    assert found.written == {PATH: NEAR}
    assert found.comparisons[PATH].rows[0].metric == "lm loss"
    assert (found.unchanged, found.asks, found.refused, found.accepted) == ((), (), (), frozenset())


def test_what_says_the_same_is_unchanged():
    found = judged(offer(OLD))

    assert (found.unchanged, found.written, found.comparisons) == ((PATH,), {}, {})


@pytest.mark.parametrize("accepted", [(), ("all",)])
def test_a_loss_is_refused_whatever_a_person_says(accepted):
    found = judged(offer(SHORT), accepted=accepted)

    assert [it.file for it in found.refused] == [PATH]
    assert "lacks step 10" in found.refused[0].reason
    assert (found.written, found.asks) == ({}, ())


def test_a_test_without_a_golden_is_refused():
    assert judged(offer(NEAR), old=None).refused == (
        FileReason(PATH, "has no old golden whose place it could take"),
    )


def test_a_large_change_waits_for_a_person_with_its_figures():
    found = judged(offer(FAR))

    assert [it.file for it in found.asks] == [PATH]
    assert (found.written, found.refused) == ({}, ())
    assert PATH in found.comparisons


def test_a_doubt_makes_a_small_change_wait_and_says_why():
    found = judged(offer(NEAR, doubt=DOUBT))

    assert (found.written, found.asks) == ({}, (FileReason(PATH, DOUBT),))


NAMES = ["gpt/small_tp1", "small_tp1", "all"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("content", "doubt"), [pytest.param(FAR, None, id="large"), pytest.param(NEAR, DOUBT, id="doubtful")]
)
def test_a_person_accepts_it_by_any_of_its_names(content, doubt, name):
    found = judged(offer(content, doubt=doubt), offer(FAR, "small_tp2"), accepted=[name, "another"])

    assert found.written[PATH] == content
    assert PATH in found.accepted
    assert (path("small_tp2") in found.written) is (name == "all")


def test_files_are_listed_by_their_path_whatever_the_order_of_the_offers():
    found = judged(*(offer(NEAR, test) for test in ("c", "a", "b")))

    assert list(found.written) == [path(test) for test in ("a", "b", "c")]


@pytest.mark.parametrize("word", [*NAMES, "ALL", "small", "gpt", "", "moe/small_tp1"])
def test_a_test_is_named_in_full_or_not_at_all(word):
    assert is_named("gpt/small_tp1", [word]) is (word in NAMES)
