"""Settings of the service: writing, listening, looking again; and which settings are secrets."""

import pytest

from bot.core.errors import UsageError
from bot.settings import load_settings


def load(tmp_path, **environ):
    return load_settings(environ, user_config=tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("BOT_RESYNC", "0", "input should be greater than 0"),
        ("BOT_WRITE_SPACING", "inf", "input should be a finite number"),
        ("BOT_RELEASE_POLL", "nan", "input should be a finite number"),
        ("BOT_LISTEN", "8089", "has to be `HOST:PORT`, such as `127.0.0.1:8089`"),
        ("BOT_LISTEN", "127.0.0.1:http", "has to be `HOST:PORT`, such as `127.0.0.1:8089`"),
        ("BOT_LISTEN", "127.0.0.1:65536", "has to be `HOST:PORT`, such as `127.0.0.1:8089`"),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused(tmp_path, name, value, said):
    with pytest.raises(UsageError, match=f"{name}: {said}"):
        load(tmp_path, **{name: value})


def test_the_service_listens_on_loopback_unless_told(tmp_path):
    assert load(tmp_path).listen == "127.0.0.1:8089"
    assert load(tmp_path, BOT_LISTEN="[::1]:9000").listen == "[::1]:9000"


def test_several_recipes_come_with_commas(tmp_path):
    assert load(tmp_path, BOT_RECIPES="megatron-lm, nemo-rl").recipes == ("megatron-lm", "nemo-rl")


def test_every_secret_of_the_settings_is_known(tmp_path):
    settings = load(
        tmp_path, GITHUB_TOKEN="a-token", BOT_WEBHOOK_SECRET="one,two", GITLAB_TOKEN="b", NGC_API_KEY="c"
    )

    assert {"a-token", "one", "two", "b", "c"} <= set(settings.secrets)
