import base64
import hashlib
import hmac
import secrets

import pytest

from bot.core.signatures import is_signed_by_github, is_signed_by_gitlab, is_token

# The example of https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
SECRET = "It's a Secret to Everybody"
BODY = b"Hello, World!"
SIGNATURE = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"


@pytest.mark.parametrize(
    "accepted",
    [
        pytest.param([SECRET], id="alone"),
        pytest.param(["another", SECRET], id="the newer one"),
        pytest.param([SECRET, "another"], id="the older one"),
    ],
)
def test_a_signature_made_with_one_of_the_secrets_is_believed(accepted):
    assert is_signed_by_github(BODY, SIGNATURE, accepted)


@pytest.mark.parametrize(
    ("body", "signature", "accepted"),
    [
        pytest.param(BODY, SIGNATURE, [], id="no secret configured"),
        pytest.param(BODY, SIGNATURE, ["another"], id="another secret"),
        pytest.param(BODY + b" ", SIGNATURE, [SECRET], id="another body"),
        pytest.param(BODY, SIGNATURE.upper(), [SECRET], id="capitals"),
        pytest.param(BODY, SIGNATURE.removeprefix("sha256="), [SECRET], id="no algorithm"),
        pytest.param(BODY, SIGNATURE[:-1], [SECRET], id="a digit short"),
        pytest.param(BODY, "", [SECRET], id="empty"),
        pytest.param(BODY, "sha256=ü\udcff", [SECRET], id="not ASCII"),
        pytest.param(BODY, "sha256=" + hmac.new(b"", BODY, "sha256").hexdigest(), [""], id="empty secret"),
        pytest.param(
            BODY, "sha1=" + hmac.new(SECRET.encode(), BODY, "sha1").hexdigest(), [SECRET], id="the old kind"
        ),
    ],
)
def test_any_other_signature_is_not(body, signature, accepted):
    assert not is_signed_by_github(body, signature, accepted)


@pytest.mark.parametrize(
    ("token", "accepted", "believed"),
    [
        ("one", ["one"], True),
        ("one", ["two", "one"], True),
        ("one", ["two"], False),
        ("one", [], False),
        ("", [""], False),
        ("ü", ["one"], False),
        ("whsec_b25l", ["whsec_b25l"], False),
    ],
)
def test_a_token_is_believed_if_it_is_one_of_the_secrets_and_no_signing_key(token, accepted, believed):
    assert is_token(token, accepted) is believed


KEY = secrets.token_bytes(32)
SIGNING = "whsec_" + base64.b64encode(KEY).decode()


def signed(body=b"{}", message="m-1", moment="1700000000", key=KEY):
    digest = hmac.new(key, f"{message}.{moment}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        pytest.param(signed(), [SIGNING], id="alone"),
        pytest.param(signed(), ["a-token", "whsec_b25l", SIGNING], id="beside other secrets"),
        pytest.param(f"v1,AAAA {signed()}", [SIGNING], id="the second of two signatures"),
        pytest.param(f"v1a,AAAA {signed()} v2,x", [SIGNING], id="among kinds that are not known"),
    ],
)
def test_a_signature_of_gitlab_covers_id_time_and_body(header, accepted):
    assert is_signed_by_gitlab(b"{}", "m-1", "1700000000", header, accepted)


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        pytest.param(signed(b"[]"), [SIGNING], id="another body"),
        pytest.param(signed(message="m-2"), [SIGNING], id="another id"),
        pytest.param(signed(moment="1700000001"), [SIGNING], id="another time"),
        pytest.param(signed(key=b"x" * 32), [SIGNING], id="another key"),
        pytest.param(signed(key=b""), ["whsec_"], id="empty key"),
        pytest.param(signed(key=SIGNING.encode()), [SIGNING], id="the key as it is written"),
        pytest.param(signed(), ["whsec_!"], id="a key that is not base64"),
        pytest.param(signed(), [], id="no secret configured"),
        pytest.param("", [SIGNING], id="empty"),
        pytest.param(" ".join(["v1,AAAA"] * 8 + [signed()]), [SIGNING], id="after a pile of others"),
    ],
)
def test_any_other_signature_of_gitlab_is_not_believed(header, accepted):
    assert not is_signed_by_gitlab(b"{}", "m-1", "1700000000", header, accepted)


def test_odd_headers_are_no_error():
    assert not is_signed_by_gitlab(b"{}", "\udcff", "ü", "ü\udcff v1,\udcff", [SIGNING])
