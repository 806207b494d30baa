"""The pin format `regex`."""

import pytest

from bot.core.errors import UsageError
from bot.core.pins.regex import groups, locate

TOML = 'docker_image_url = "nvcr.io#nvidia/pytorch:25.12-py3"\n'
HCL = 'variable "BASE" { default = "nvcr.io/nvidia/pytorch:26.06-py3" }\n'
SHELL = 'BASE="${BASE:-nvcr.io/nvidia/pytorch:26.06-py3}"\n'
APPTAINER = "Bootstrap: docker\nFrom: nvcr.io/nvidia/pytorch:24.07-py3\n"


@pytest.mark.parametrize(
    ("text", "pattern", "values"),
    [
        pytest.param(
            TOML,
            r'docker_image_url = "(?P<pin>[^"]+)"',
            ["nvcr.io#nvidia/pytorch:25.12-py3"],
            id="TOML, enroot's form",
        ),
        pytest.param(HCL, r'default = "(?P<pin>[^"]+)"', ["nvcr.io/nvidia/pytorch:26.06-py3"], id="HCL"),
        pytest.param(SHELL, r":-(?P<pin>[^}]+)}", ["nvcr.io/nvidia/pytorch:26.06-py3"], id="shell default"),
        pytest.param(
            APPTAINER,
            r"(?mi)^from:\s*(?P<pin>\S+)$",
            ["nvcr.io/nvidia/pytorch:24.07-py3"],
            id="flags in the pattern",
        ),
        pytest.param("a=1\nb=2\n", r"(?P<name>\w)=(?P<pin>\d)", ["1", "2"], id="each match is a pin"),
        pytest.param(
            "a=1\nb\n", r"(?P<name>\w)(?:=(?P<pin>\d))?", ["1"], id="a match without the group is none"
        ),
        pytest.param("nothing", r"(?P<pin>\d)", [], id="no match"),
    ],
)
def test_the_group_named_pin_is_the_value(text, pattern, values):
    pins = locate(text, {"pattern": pattern})

    assert [pin.span.of(text) for pin in pins] == values


def test_other_named_groups_come_with_their_pin():
    text = "ARG NCCL_VERSION=2.30.7-1+cuda13.3\nARG NCCL_VERSION=2.30.7-1\n"
    pattern = r"NCCL_VERSION=(?P<pin>(?P<version>[\d.]+)-\d+(?:\+cuda(?P<cuda>[\d.]+))?)"

    found = groups(text, {"pattern": pattern})

    assert [(pin.span.of(text), dict(others)) for pin, others in found] == [
        ("2.30.7-1+cuda13.3", {"version": "2.30.7", "cuda": "13.3"}),
        ("2.30.7-1", {"version": "2.30.7"}),
    ]


@pytest.mark.parametrize(
    ("where", "message"),
    [
        pytest.param({"pattern": "(?P<pin>"}, "does not compile", id="broken pattern"),
        pytest.param({"pattern": "a{99999999999}(?P<pin>b)"}, "does not compile", id="number too large"),
        pytest.param({"pattern": "(?P<tag>x)"}, "has no group named `pin`", id="no such group"),
        pytest.param({"pattern": 7}, "`pattern` in `where` must be a text", id="no text"),
        pytest.param({}, "`pattern` in `where` must be a text", id="no pattern"),
    ],
)
@pytest.mark.parametrize("read", [locate, groups])
def test_a_pattern_that_makes_no_sense_is_the_recipes_fault(read, where, message):
    with pytest.raises(UsageError, match=message):
        read("text", where)
