import secrets

import pytest

from bot.core.errors import UsageError
from bot.settings import load_settings


@pytest.fixture
def load(tmp_path):
    return lambda environ: load_settings(environ, None, tmp_path / "none.toml")


@pytest.mark.parametrize("name", ["BOT_WEBHOOK_SECRET", "GITLAB_WEBHOOK_SECRET"])
@pytest.mark.parametrize(
    ("given", "count"),
    [("{0}", 1), ("{0},{1}", 2), (" {0} , {1}, ", 2), ("", 0), (" , ", 0)],
)
def test_webhooks_may_have_several_secrets_and_none_is_shown(load, name, given, count):
    words = [secrets.token_hex(16), secrets.token_hex(16)]

    settings = load({name: given.format(*words)})

    told = getattr(settings, name.removeprefix("BOT_").lower())
    assert [it.get_secret_value() for it in told] == words[:count]
    assert not any(word in f"{settings!r} {settings} {settings.model_dump_json()}" for word in words)


@pytest.mark.parametrize("name", ["BOT_WEBHOOK_SECRET", "GITLAB_WEBHOOK_SECRET"])
def test_a_secret_with_a_blank_in_it_is_refused_and_not_shown(load, name):
    with pytest.raises(UsageError) as failure:
        load({name: "fine,not s3cret"})

    assert failure.value.message.startswith(f"{name}: holds a blank")
    assert "s3cret" not in failure.value.message
