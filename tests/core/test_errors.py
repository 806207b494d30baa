"""What the bot explains to a person: where, and with which exit status."""

import pytest

from bot.core.errors import BotError, Refused, ServiceError, UsageError


@pytest.mark.parametrize(
    ("error", "exit_code", "code"),
    [
        pytest.param(UsageError, 2, "usage", id="wrong usage"),
        pytest.param(Refused, 3, "refused", id="refused"),
        pytest.param(ServiceError, 4, "service", id="a service failed"),
    ],
)
def test_each_kind_has_its_exit_status_and_its_word(error, exit_code, code):
    assert issubclass(error, BotError)
    assert (error.exit_code, error.code) == (exit_code, code)


@pytest.mark.parametrize(
    ("path", "line", "where", "text"),
    [
        pytest.param(None, None, "", "it is empty", id="nowhere"),
        pytest.param("a.yml", None, "a.yml", "a.yml: it is empty", id="a file"),
        pytest.param("a.yml", 3, "a.yml:3", "a.yml:3: it is empty", id="a line"),
        pytest.param(None, 3, "", "it is empty", id="a line of no file is no place"),
    ],
)
def test_a_message_begins_with_its_place(path, line, where, text):
    error = Refused("it is empty", path=path, line=line, hint="fill it")

    assert (error.where, str(error)) == (where, text)
    assert (error.message, error.hint) == ("it is empty", "fill it")
