"""A program in a container, as a value."""

from bot.core.container import Mount, RunReport, RunRequest


def test_a_program_writes_nowhere_and_ends_by_itself_unless_said():
    asked = RunRequest("image", ("uv", "lock"), mounts=(Mount("/a", "/b"),))

    assert asked.mounts[0].read_only
    assert (asked.gpus, asked.timeout, asked.environment) == (False, None, {})
    assert RunReport(0, (), 1.0).stopped == ""
