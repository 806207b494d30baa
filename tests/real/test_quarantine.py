"""What upstream did by hand to tests that broke, done again, and every row that can be taken out."""

from collections.abc import Iterator

import pytest

from bot import wiring
from bot.core.errors import Refused
from bot.core.testrecipes.allow_failure import allow_failure
from bot.core.testrecipes.flip import flip
from bot.core.testrecipes.hunk import apply
from bot.core.testrecipes.n_repeat import n_repeat
from bot.core.testrecipes.plan import plan_quarantine
from bot.core.testrecipes.request import QuarantineRequest
from bot.core.testrecipes.rows import RecipeOfTest, Row, read_recipe
from bot.core.testrecipes.target import UnitTest, parse_target
from bot.core.testrecipes.unit_tests import mark, unmark_from_file
from bot.core.testrecipes.way_back import from_history, from_ledger, from_row

MAIN = "d98e8a64dd"
RECIPES = "tests/test_utils/recipes"
RULES = wiring.load_recipe("megatron-lm").quarantine
HANG = "# Broken: hangs on repeat iter 3, exceeds 1h job limit — see issue #4657."
FLAKE = "# Broken: iteration-time (rtol=0.05) keeps failing in CI — see issue #4654."
BUMP_26_04, BUMP_26_06, BUMP_OF_DEV = "5fe3f06658", "64bee49c96", "1fe78252e9"


def before_and_after(megatron, commit: str, path: str) -> tuple[str, str]:
    return tuple(megatron.files(at, [path])[path].decode() for at in (f"{commit}^", commit))


def flipped(text: str, test: str, *comment: str) -> str:
    recipe = read_recipe(text, test)
    rows = [row for row in recipe.rows if row.environments == ("dev",)]
    return apply(text, flip(text, recipe, rows, RULES.scopes, comment))


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (
            "h100/mamba-dynamic-inference-with-coordinator.yaml",
            [("hybrid_dynamic_inference_tp1_ep8_nanov3_chunked_prefill", HANG)],
        ),
        (
            "h100/mimo.yaml",
            [
                ("mimo_vlm_pretrain_convergence_tp1_pp1_cp1_dp8_seq_packing", FLAKE),
                ("mimo_vlm_pretrain_convergence_tp1_pp1_cp2_dp8", "# Broken: exceeds 1h job timeout in CI"),
            ],
        ),
    ],
)
def test_the_rows_of_4611_become_what_upstream_made_of_them(megatron, path, words):
    text, merged = before_and_after(megatron, BUMP_26_04, f"{RECIPES}/{path}")

    for test, comment in words:
        text = flipped(text, test, comment)

    assert text == merged


def test_the_repeats_of_4611_are_set_as_upstream_set_them(megatron):
    test = "hybrid_dynamic_inference_tp1_ep8_nanov3_chunked_prefill"
    path = RULES.model_config_file.format(model="hybrid", test=test)
    text, merged = before_and_after(megatron, BUMP_26_04, path)

    assert apply(text, [n_repeat(text, 1, ())]) == merged


@pytest.mark.parametrize(
    ("path", "test", "issue"),
    [
        ("gb200/gpt-perf-dp4.yaml", "gpt_583m_perf_gb200_4gpu", 5692),
        ("gb200/hybrid-perf.yaml", "hybrid_2b_perf", 5693),
    ],
)
def test_the_performance_tests_of_5632_may_fail_as_upstream_let_them(megatron, path, test, issue):
    text, merged = before_and_after(megatron, BUMP_26_06, f"{RECIPES}/{path}")
    recipe = read_recipe(text, test)
    comment = f"# TODO: remove after https://github.com/NVIDIA/Megatron-LM/issues/{issue}"

    hunks = allow_failure(text, recipe, recipe.rows, RULES.on_github, [comment])

    assert apply(text, hunks) == merged


@pytest.mark.parametrize(
    ("commit", "path", "test"),
    [
        ("c09022e9c0", "h100/gpt.yaml", "gpt3_mcore_te_tp1_pp4_vp1_resume_torch_decoupled_lr"),
        ("ff60360163", "h100/mamba.yaml", "hybrid_nemotron_v3_pico_7b_a1b_tp1_ep8_QAD_dgx_h100_1N8G"),
    ],
    ids=["#5801", "#6013"],
)
def test_a_scope_line_becomes_what_upstream_made_of_it(megatron, commit, path, test):
    text, merged = before_and_after(megatron, commit, f"{RECIPES}/{path}")

    ours = flipped(text, test)

    # Upstream's comments stand above the row, the bot's above the scope.
    assert [line for line in merged.split("\n") if line in ours.split("\n")] == ours.split("\n")


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        (
            "tests/unit_tests/fusions/test_fused_mhc_kernels.py",
            [
                "TestFusedSinkhorn::test_fwd_bwd_vs_reference",
                "TestFusedHAggregate::test_fwd_bwd_vs_reference",
                "TestFusedHPostBDA::test_fwd_bwd_vs_reference",
                "TestFusedProjRms::test_fwd_bwd_vs_reference",
                "TestEndToEndFused::test_full_pipeline_fwd_bwd",
            ],
        ),
        (
            "tests/unit_tests/transformer/experimental_attention_variant/test_attention_variant_dsa.py",
            ["TestFusedDSAIndexerLossGradient::test_fused_indexer_loss_gradient_matches_autograd"],
        ),
    ],
)
def test_the_marks_of_5051_stand_where_upstream_put_them(megatron, path, tests):
    text, merged = before_and_after(megatron, BUMP_OF_DEV, path)
    targets = [UnitTest(path, tuple(names.split("::"))) for names in tests]
    before = text

    for target in targets:
        text = apply(text, [mark(text, target, "flaky_in_dev", ())])
    assert text == merged

    for target in targets:
        text = apply(text, [unmark_from_file(text, target, "flaky_in_dev")])
    assert text == before


def recipes(megatron) -> dict[str, bytes]:
    paths = megatron.git("ls-tree", "-r", "--name-only", MAIN, RECIPES).decode().split()
    return megatron.files(MAIN, paths)


def flippable(megatron) -> Iterator[tuple[str, RecipeOfTest, Row]]:
    """Yield each row of dev alone, of one test and one platform, all of whose words can be taken out."""
    for raw in recipes(megatron).values():
        text = raw.decode()
        lists = (line.partition("test_case:")[2] for line in text.split("\n") if "- test_case: [" in line)
        for test in dict.fromkeys(names.strip(" []").split(",")[0] for names in lists):
            recipe = read_recipe(text, test)
            for row in recipe.rows:
                single = len(row.tests) == len(row.platforms) == 1 and row.environments == ("dev",)
                if single and set(row.words) <= set(RULES.scopes):
                    yield text, recipe, row


def test_every_row_that_can_be_taken_out_leaves_and_comes_back_byte_for_byte(megatron):
    count = 0
    for text, recipe, row in flippable(megatron):
        test = row.tests[0]
        (hunk,) = flip(text, recipe, [row], RULES.scopes, ["# Quarantined (hang); see /issues/7"])
        after = apply(text, [hunk])

        assert changes(text, after) == (1, 1), test
        there = read_recipe(after, test)
        (now,) = [
            it
            for it in there.rows
            if it.words == tuple(RULES.scopes[word] for word in row.words) and it.platforms == row.platforms
        ]
        backs = (
            from_ledger(after, there, now, hunk, RULES.scopes),
            from_history(after, there, now, [text], RULES.scopes),
            from_row(after, there, now, RULES.scopes),
        )
        assert [apply(after, [back]) for back in backs] == [text] * 3, test
        count += 1
    assert count == 257


def changes(before: str, after: str) -> tuple[int, int]:
    """Return how many lines changed and how many came in, comparing from both ends."""
    old, new = before.split("\n"), after.split("\n")
    start = next(at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other)
    end = next(at for at, (one, other) in enumerate(zip(old[::-1], new[::-1], strict=False)) if one != other)
    return len(old) - start - end, len(new) - len(old)


def test_what_never_runs_or_mixes_tests_is_refused(megatron):
    files = recipes(megatron)
    recipe = wiring.load_recipe("megatron-lm")

    def refused(test: str, platform: str | None = None) -> str:
        request = QuarantineRequest(parse_target(test), "hang", "https://x/issues/7", platform)
        with pytest.raises(Refused) as error:
            plan_quarantine(recipe, files, request)
        assert error.value.path
        assert error.value.line
        return error.value.message

    assert "is no platform's name" in refused("hybrid_static_inference_tp1_pp1_2B_cudagraphs")
    assert "mixes tests" in refused("gpt_583m_perf")
    assert "only the first name" in refused("gpt_583m_perf_async_sched")
    assert "mixes platforms" in refused("t5_mcore_te_tp2_pp1_vp1", "dgx_h100")
    assert "mixes environments" in refused("gpt3_mcore_tp1_pp4_resume_torch_dist", "dgx_a100")
    assert "out of the gate already" in refused("hybrid_static_inference_tp1_pp1_2B_logitsmatch")
