"""The way from granian's threads to the application's, with stand-ins for granian's own objects.

With real clients it is tested in tests/served/test_serve_http.py.
"""

import threading
from io import BytesIO
from typing import Any
from unittest.mock import patch

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.test import SimpleTestCase

from memconsole import intake

SECONDS = 20


class Protocol:
    """What granian hands over to answer one request with."""

    def __init__(self) -> None:
        self.answered = threading.Event()

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.answer, self.thread = (status, body), threading.current_thread().name
        self.answered.set()

    def response_iter(self, status: int, headers: list[tuple[str, str]], pieces: Any) -> None:
        body = b""
        try:
            while True:
                body += pieces.__next__()
        except StopIteration:
            pieces.close()
        self.response_bytes(status, headers, body)

    def wait(self) -> tuple[int, bytes]:
        assert self.answered.wait(SECONDS), "no answer came"
        return self.answer


class NeverRead:
    """The body of a client that does not send it, until it is cut off."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol

    def read(self, size: int) -> bytes:
        self.protocol.answered.wait(SECONDS)
        return b""


def application(environ: dict[str, Any], start_response: Any) -> Any:
    if environ["PATH_INFO"] == "/broken":
        raise SystemExit("out of the application's thread")
    body = environ["wsgi.input"].read()
    response = HttpResponse(f"{environ.get('CONTENT_LENGTH')} {body!r}")
    if environ["PATH_INFO"] == "/stream":
        response = StreamingHttpResponse(iter([b"one ", b"two"]))
    start_response("201 Created", list(response.items()))
    return response


@pytest.mark.once
class Intake(SimpleTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        changed = patch.multiple(intake, BODY_SECONDS=0.2, LOOK_EVERY_SECONDS=0.05)
        cls.enterClassContext(changed)
        cls.intake = intake.Intake(application, body_bytes=10)

    def ask(self, path: str, body: bytes | None = None, **scope: str) -> tuple[int, bytes]:
        self.protocol = Protocol()
        scope = {"PATH_INFO": path, **scope}
        self.intake(self.protocol, {**scope, "wsgi.input": BytesIO(body or b"")})
        return self.protocol.wait()

    def test_answers_from_the_applications_thread(self) -> None:
        self.assertEqual(self.ask("/"), (201, b"None b''"))
        self.assertEqual(self.protocol.thread, "run_application")

    def test_gives_a_body_its_length(self) -> None:
        self.assertEqual(self.ask("/", b"abc", CONTENT_LENGTH="3"), (201, b"3 b'abc'"))
        self.assertEqual(self.ask("/", b"abc", HTTP_TRANSFER_ENCODING="chunked"), (201, b"3 b'abc'"))

    def test_reads_nothing_of_what_says_it_is_too_large(self) -> None:
        self.assertEqual(self.ask("/", b"x" * 11, CONTENT_LENGTH="11"), (201, b"11 b''"))

    def test_reads_only_as_much_as_shows_that_it_is_too_large(self) -> None:
        body = self.ask("/", b"x" * 50, HTTP_TRANSFER_ENCODING="chunked")
        self.assertEqual(body, (201, b"11 b'xxxxxxxxxxx'"))

    def test_refuses_a_body_that_does_not_come(self) -> None:
        protocol = Protocol()
        scope = {"PATH_INFO": "/", "CONTENT_LENGTH": "3", "wsgi.input": NeverRead(protocol)}
        self.intake(protocol, scope)
        self.assertEqual(protocol.answer, (408, b""))
        self.assertEqual(self.intake.reading, {})
        self.assertEqual(self.ask("/"), (201, b"None b''"))

    def test_lives_on_when_the_application_fails(self) -> None:
        with self.assertLogs("memconsole.server"):
            self.assertEqual(self.ask("/broken"), (500, b""))
        self.assertEqual(self.ask("/"), (201, b"None b''"))

    def test_sends_a_stream_from_a_thread_of_its_own(self) -> None:
        self.assertEqual(self.ask("/stream"), (201, b"one two"))
        self.assertNotEqual(self.protocol.thread, "run_application")
