"""Limits of reading that need no network: time, and memory for all requests together."""

import asyncio

import pytest
from starlette.requests import Request

from bot.web.body import BodyReader, TooMuch


def request(*chunks: bytes, then=None, **headers) -> Request:
    """Return a request whose body comes in `chunks`; `then` is awaited after the last one."""
    left = list(chunks)

    async def receive():
        if not left and then is not None:
            await then()
        body = left.pop(0) if left else b""
        return {"type": "http.request", "body": body, "more_body": bool(left) or then is not None}

    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "headers": raw}, receive)


def read(reader, *args, **kwargs):
    return asyncio.run(reader.read(request(*args, **kwargs)))


def status_of(reader, *args, **kwargs):
    with pytest.raises(TooMuch) as failure:
        read(reader, *args, **kwargs)
    return failure.value.status


def test_a_body_is_read_as_it_came():
    assert read(BodyReader(10, 10, 20), b"one", b"", b" two") == b"one two"


def test_a_sender_that_stops_sending_is_not_waited_for():
    assert status_of(BodyReader(10, 10, 0.01), b"one", then=lambda: asyncio.sleep(20)) == 408


def test_a_sender_that_goes_away_is_no_error_of_ours():
    async def receive():
        return {"type": "http.disconnect"}

    with pytest.raises(TooMuch) as failure:
        asyncio.run(BodyReader(10, 10, 20).read(Request({"type": "http", "headers": []}, receive)))

    assert failure.value.status == 400


@pytest.mark.parametrize("length", ["11", "-1", "ten", "٣", "9" * 5000])
def test_a_length_that_is_announced_is_believed_if_it_is_too_much(length):
    assert status_of(BodyReader(10, 10, 20), b"x", content_length=length) == 413


def test_all_bodies_together_stay_within_the_memory():
    reader = BodyReader(10, 15, 20)

    async def both() -> list[object]:
        halfway, last = asyncio.Event(), asyncio.Event()

        async def pause() -> None:
            halfway.set()
            await last.wait()
            raise AssertionError("nobody reads on")

        first = asyncio.create_task(reader.read(request(b"x" * 10, then=pause)))
        await halfway.wait()
        second = await asyncio.gather(reader.read(request(b"x" * 6)), return_exceptions=True)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        return [*second, await reader.read(request(b"x" * 6))]

    refused, read_afterwards = asyncio.run(both())

    assert refused.status == 503
    assert read_afterwards == b"x" * 6
