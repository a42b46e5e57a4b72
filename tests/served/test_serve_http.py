"""What the server makes of HTTP: lengths, methods, bodies of all sorts, slow clients, static files."""

import json
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from memconsole.intake import BODY_SECONDS
from stores.api.requests import MEMORY_BETA
from tests.served.test_serve import stuck_client

pytestmark = pytest.mark.served

LIMIT = 1024 * 1024


@pytest.fixture(scope="module")
def client(served):
    headers = {"x-api-key": served.admin_key, "anthropic-beta": MEMORY_BETA}
    with httpx2.Client(base_url=served.base_url, headers=headers, timeout=20) as client:
        yield client


@pytest.fixture(scope="module")
def memories(client):
    store = client.post("/v1/memory_stores", json={"name": "HTTP"}).json()
    return f"/v1/memory_stores/{store['id']}/memories"


def talk(served, request: bytes) -> bytes:
    """Sends raw bytes and reads until the server closes."""
    with socket.create_connection((served.host, served.port), timeout=20) as connection:
        connection.sendall(request)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
        return answer


class TestAnswers:
    def test_have_a_length_and_keep_the_connection(self, client) -> None:
        for _ in range(3):
            response = client.get("/v1/memory_stores")
            assert response.status_code == 200
            assert int(response.headers["content-length"]) == len(response.content)
            assert "transfer-encoding" not in response.headers
            assert "connection" not in response.headers

    def test_on_one_connection_follow_each_other(self, served) -> None:
        request = b"GET /healthz HTTP/1.1\r\nHost: any\r\n\r\n"
        last = b"GET /healthz HTTP/1.1\r\nHost: any\r\nConnection: close\r\n\r\n"
        assert talk(served, request * 3 + last).count(b"HTTP/1.1 200 OK") == 4

    def test_head_has_no_body_but_its_length(self, client) -> None:
        response = client.head("/healthz")
        assert response.status_code == 200
        assert response.content == b""
        assert response.headers["content-length"] == str(len(client.get("/healthz").content))

    def test_unchanged_file_has_no_body(self, client) -> None:
        file = client.get("/static/icons.svg")
        again = client.get("/static/icons.svg", headers={"if-none-match": file.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")

    def test_http_1_0_is_understood(self, served) -> None:
        answer = talk(served, b"GET /healthz HTTP/1.0\r\n\r\n")
        assert answer.startswith(b"HTTP/1.0 200 OK")
        assert answer.endswith(b'{"status": "ok"}')


class TestBodies:
    def test_of_the_largest_memory_comes_whole(self, client, memories) -> None:
        content = "ä" * 51_200
        made = client.post(memories + "?view=full", json={"path": "/large.md", "content": content})
        assert made.status_code == 200
        assert made.json()["content"] == content

    @pytest.mark.parametrize("pieces", [1, 7, 2000])
    def test_in_chunks_are_read_whole(self, client, memories, pieces: int) -> None:
        content = "x" * 2000
        body = json.dumps({"path": f"/chunks-{pieces}.md", "content": content}).encode()
        size = -(-len(body) // pieces)
        chunks = (body[start : start + size] for start in range(0, len(body), size))
        made = client.post(
            memories + "?view=full", content=chunks, headers={"content-type": "application/json"}
        )
        assert made.status_code == 200
        assert made.json()["content"] == content

    @pytest.mark.parametrize("size", [LIMIT + 1, 20 * LIMIT])
    @pytest.mark.parametrize("chunked", [False, True])
    def test_that_are_too_large_are_refused(self, client, memories, size: int, chunked: bool) -> None:
        body = b"x" * size
        response = client.post(memories, content=iter([body]) if chunked else body)
        assert response.status_code == 413
        assert response.json()["error"]["type"] == "request_too_large"

    def test_of_the_size_of_the_limit_are_read(self, client, memories) -> None:
        response = client.post(memories, content=b" " * LIMIT)
        assert response.status_code == 400
        assert "JSON" in response.json()["error"]["message"]

    def test_that_wait_to_be_asked_for_are(self, served, client) -> None:
        body = b'{"name": "expected"}'
        head = (
            f"POST /v1/memory_stores HTTP/1.1\r\nHost: x\r\nx-api-key: {served.admin_key}\r\n"
            f"anthropic-beta: {MEMORY_BETA}\r\nContent-Length: {len(body)}\r\n"
            "Connection: close\r\nExpect: 100-continue\r\n\r\n"
        )
        with socket.create_connection((served.host, served.port), timeout=20) as connection:
            connection.sendall(head.encode())
            assert connection.recv(65536).startswith(b"HTTP/1.1 100 Continue")
            connection.sendall(body)
            assert connection.recv(65536).startswith(b"HTTP/1.1 200 OK")

    def test_that_end_early_write_nothing(self, served, client, memories) -> None:
        body = b'{"path": "/half.md", "content": "half"}'
        head = (
            f"POST {memories} HTTP/1.1\r\nHost: x\r\nx-api-key: {served.admin_key}\r\n"
            f"anthropic-beta: {MEMORY_BETA}\r\nContent-Length: {len(body) + 1}\r\n\r\n"
        )
        with socket.create_connection((served.host, served.port), timeout=20) as connection:
            connection.sendall(head.encode() + body)
            connection.shutdown(socket.SHUT_WR)
            connection.recv(65536)
        paths = [memory["path"] for memory in client.get(memories).json()["data"]]
        assert "/half.md" not in paths

    def test_form_in_chunks_is_read_by_the_console_too(self, served) -> None:
        with httpx2.Client(base_url=served.base_url) as browser:
            page = browser.get("/login/")
            token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)[1]
            form = f"csrfmiddlewaretoken={token}&username=nobody&password=nothing".encode()
            response = browser.post(
                "/login/",
                content=iter([form[:20], form[20:]]),
                headers={"content-type": "application/x-www-form-urlencoded"},
            )
        # The form again, with what is wrong with it; not a refusal for lack of a token.
        assert response.status_code != 403
        assert "csrfmiddlewaretoken" in response.text


class TestSlowClients:
    def test_hold_up_nobody_else(self, served, client) -> None:
        stuck = [stuck_client(served) for _ in range(20)]
        try:
            time.sleep(0.2)
            # The stuck ones stay for longer than this client waits.
            for _ in range(20):
                assert client.get("/v1/memory_stores").status_code == 200
        finally:
            for connection in stuck:
                connection.close()

    def test_who_read_slowly_hold_up_nobody_else(self, served, client, memories) -> None:
        for number in range(20):
            client.post(memories, json={"path": f"/slow/{number}.md", "content": "s" * 100_000})
        request = (
            f"GET {memories}?view=full&limit=20&path_prefix=/slow/ HTTP/1.1\r\nHost: x\r\n"
            f"x-api-key: {served.admin_key}\r\nanthropic-beta: {MEMORY_BETA}\r\n\r\n"
        )
        readers = [socket.create_connection((served.host, served.port)) for _ in range(10)]
        try:
            for reader in readers:
                reader.sendall(request.encode())
            for _ in range(20):
                assert client.get("/v1/memory_stores").status_code == 200
        finally:
            for reader in readers:
                reader.close()

    def test_are_waited_for_longer_than_these_tests_wait(self, client) -> None:
        assert client.timeout.read < BODY_SECONDS


class TestManyClients:
    def test_at_once_are_all_served(self, served, client) -> None:
        def ask(_number: int) -> int:
            return httpx2.get(served.base_url + "/healthz", timeout=20).status_code

        with ThreadPoolExecutor(50) as pool:
            assert set(pool.map(ask, range(200))) == {200}


class TestStaticFiles:
    def test_of_a_page_are_compressed_and_kept_for_ever(self, client) -> None:
        page = client.get("/login/").text
        styles = re.findall(r'href="(/static/[^"]+\.css)"', page)
        assert styles
        for address in styles:
            assert re.search(r"\.[0-9a-f]{12}\.css$", address), address
            response = client.get(address, headers={"accept-encoding": "br"})
            assert response.status_code == 200
            assert response.headers["content-encoding"] == "br"
            assert "immutable" in response.headers["cache-control"]
            assert response.headers["content-type"].startswith("text/css")

    def test_scripts_of_a_page_are_there(self, client) -> None:
        page = client.get("/login/").text
        for address in re.findall(r'src="(/static/[^"]+)"', page):
            assert client.get(address).status_code == 200, address

    def test_of_the_admin_are_served_under_plain_names(self, client) -> None:
        page = client.get("/django-admin/login/").text
        (address, *_) = re.findall(r'href="(/static/admin/[^"]+\.css)"', page)
        response = client.get(address)
        assert response.status_code == 200
        assert "immutable" not in response.headers["cache-control"]
