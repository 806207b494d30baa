"""Whose golden a path is."""

import pytest

from bot.core.goldens.place import Place, folder_of, may_be_golden, place_of
from tests.core.goldens.made import FOLDER, GOLDENS, PATH, ROOT


def test_a_path_names_model_test_environment_and_platform():
    assert place_of(PATH, GOLDENS.file) == Place("gpt", "small_tp1", "dev", "dgx_h100")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(f"{FOLDER}/golden_values_lts.json", id="no platform"),
        pytest.param(f"{FOLDER}/golden_values_dev_DGX.json", id="capital letters"),
        pytest.param(f"{FOLDER}/golden_values_dev_dgx_h100.json.orig", id="other end"),
        pytest.param(f"{FOLDER}/deeper/golden_values_dev_dgx_h100.json", id="a folder more"),
        pytest.param(f"x/{PATH}", id="elsewhere"),
        pytest.param(PATH.replace("/small_tp1/", "/../"), id="a way up"),
        pytest.param(PATH.replace("/gpt/", "/./"), id="no folder"),
        pytest.param(f"{PATH}\n", id="line break"),
    ],
)
def test_any_other_path_is_nobodys(path):
    assert place_of(path, GOLDENS.file) is None


def test_a_template_may_leave_parts_out_repeat_them_or_bring_its_own():
    template = "t/{model}/{test}/{test}-{cluster}.json"

    assert place_of("t/a/b/b-c.json", template) == Place("a", "b", "", "")
    assert place_of("t/a/b/c-c.json", template) is None


@pytest.mark.parametrize(
    ("path", "may_be"),
    [
        pytest.param(PATH, True, id="a golden"),
        pytest.param(f"{FOLDER}/golden_values_lts.json", True, id="without platform"),
        pytest.param(f"{FOLDER}/golden_values_dev_dgx_h100_2nd.json", True, id="of a second run"),
        pytest.param(f"{FOLDER}/golden_values.json", False, id="too short"),
        pytest.param(f"{FOLDER}/model_config.yaml", False, id="another file"),
        pytest.param("tests/unit_tests/golden_values_dev_dgx_h100.json", False, id="elsewhere"),
    ],
)
def test_more_files_may_be_compared_than_refreshed(path, may_be):
    assert may_be_golden(path, GOLDENS.file) is may_be


@pytest.mark.parametrize(
    ("template", "folder"),
    [
        (GOLDENS.file, ROOT),
        ("a/b/{model}_{test}.json", "a/b"),
        ("a/b-{model}/{test}.json", "a"),
        ("{model}/{test}.json", ""),
    ],
)
def test_every_golden_lies_below_the_folder_before_the_first_name(template, folder):
    assert folder_of(template) == folder
