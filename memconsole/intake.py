"""Takes requests in before the application sees them, so that one slow client does not hold up everybody.

granian calls the application when it has read a request's head; reading the body is up to the thread that
was called. With one thread of Python per worker (performance.md, finding 10), two clients that announce a
body and never send it would stop a server of two workers. So bodies are read by threads of their own, as many
as there may be connections; they wait without the interpreter's lock. Whole requests queue for the one thread
that runs the application. Answers go out without it, too.
"""

import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from io import BytesIO
from queue import SimpleQueue
from typing import Any

from django.db import connections
from granian.wsgi import ResponseIterWrap

logger = logging.getLogger("memconsole.server")

# How long a client may take from the end of a request's head to the end of its body.
BODY_SECONDS = 60
LOOK_EVERY_SECONDS = 1
# An answer that is larger, which only a file can be, goes out piece by piece.
WHOLE_ANSWER_BYTES = 4 * 1024 * 1024

Application = Callable[[dict[str, Any], Callable[..., Any]], Any]


class Intake:
    """What granian calls for each request, from any thread.

    `body_bytes` is the most that is read of a body; of one that says it is larger, nothing is. The
    application is Django's and answers with its response objects.
    """

    def __init__(self, application: Application, *, body_bytes: int) -> None:
        self.application = application
        self.body_bytes = body_bytes
        self.requests: SimpleQueue[tuple[Any, dict[str, Any]]] = SimpleQueue()
        # Whose body is being read, and until when.
        self.reading: dict[Any, float] = {}
        self.environ = {
            **os.environ,
            "SCRIPT_NAME": "",
            "SERVER_SOFTWARE": "granian",
            "wsgi.errors": sys.stderr,
            "wsgi.version": (1, 0),
            "wsgi.multiprocess": True,
            "wsgi.multithread": False,
            "wsgi.run_once": False,
        }
        for target in (self.run_application, self.refuse_the_late):
            threading.Thread(target=target, name=target.__name__, daemon=True).start()

    def __call__(self, protocol: Any, scope: dict[str, Any]) -> None:
        environ = self.environ | scope
        if ("CONTENT_LENGTH" in scope or "HTTP_TRANSFER_ENCODING" in scope) and not self.read_body(
            protocol, environ
        ):
            return
        self.requests.put((protocol, environ))

    def read_body(self, protocol: Any, environ: dict[str, Any]) -> bool:
        """Puts the whole body where the application looks for it; False for one that came too late."""
        length = environ.get("CONTENT_LENGTH", "")
        body = b""
        if not (length.isdigit() and int(length) > self.body_bytes):
            self.reading[protocol] = time.monotonic() + BODY_SECONDS
            body = bytes(environ["wsgi.input"].read(self.body_bytes + 1))
            if self.reading.pop(protocol, None) is None:
                return False
        if not length:
            # It came in chunks and has a length only now.
            del environ["HTTP_TRANSFER_ENCODING"]
            environ["CONTENT_LENGTH"] = str(len(body))
        environ["wsgi.input"] = BytesIO(body)
        return True

    def refuse_the_late(self) -> None:
        """Answers clients whose body does not come; their connections close and the threads are free."""
        while True:
            time.sleep(LOOK_EVERY_SECONDS)
            now = time.monotonic()
            for protocol, deadline in list(self.reading.items()):
                if deadline < now and self.reading.pop(protocol, None) is not None:
                    protocol.response_bytes(408, [("connection", "close")], b"")

    def run_application(self) -> None:
        while True:
            protocol, environ = self.requests.get()
            try:
                self.answer(protocol, environ)
            except BaseException:  # this thread must live as long as its process
                logger.exception("The application failed")
                protocol.response_bytes(500, [], b"")

    def answer(self, protocol: Any, environ: dict[str, Any]) -> None:
        head: list[Any] = []

        def start_response(*status_and_headers: Any) -> None:
            head[:] = status_and_headers

        response = self.application(environ, start_response)
        status, headers = int(head[0].partition(" ")[0]), head[1]
        size = response.get("Content-Length", "") if response.streaming else "0"
        if size.isdigit() and int(size) <= WHOLE_ANSWER_BYTES:
            protocol.response_bytes(status, headers, b"".join(response))
            response.close()
        else:
            # Sending waits for the reader, hence a thread of its own.
            threading.Thread(
                target=self.stream, args=(protocol, status, headers, response), daemon=True
            ).start()

    @staticmethod
    def stream(protocol: Any, status: int, headers: list[Any], response: Any) -> None:
        try:
            protocol.response_iter(status, headers, ResponseIterWrap(response))
        finally:
            # A database connection belongs to its thread, and this one ends here.
            connections.close_all()
