"""What holds on the way of every request, whichever endpoint it is for."""

import io
import json
import logging
from unittest import mock

from django.db import InterfaceError, OperationalError
from django.test import SimpleTestCase

from stores.api import errors
from stores.domain import errors as domain
from stores.models import Memory
from tests.cases import ApiTestCase


class UnknownAddressTest(ApiTestCase):
    def test_is_not_found_in_json(self):
        for path in (
            "/v1",
            "/v1/",
            "/v1/x",
            "/v1//memory_stores",
            "/v1/memory_stores/",
            "/v1/Memory_Stores",
            f"{self.store_url}/",
            f"{self.store_url}/memories/",
            f"{self.store_url}/archive/x",
            f"{self.store_url}/unarchive",
            f"{self.store_url}//memories",
            f"{self.memory_url}/restore",
            f"{self.store_url}/memory_versions/x/redact/",
            "/v1/%00",
            "/v1/%ff%fe",
            "/v1/../v1/memory_stores",
            "/v1/memory_stores%0a",
        ):
            for key in ("", None):
                with self.subTest(path=path, key=key):
                    response = self.api("GET", path, key=key)
                    self.assertError(response, 404, "not_found_error", "nothing at this address")


class FailureTest(ApiTestCase):
    """What nobody expected: still JSON, without a word of what went wrong inside."""

    def failing(self, error):
        return mock.patch("stores.domain.stores.get_store", side_effect=error)

    def test_an_unexpected_error(self):
        with (
            self.failing(RuntimeError("internal detail")),
            self.assertLogs("stores.api", logging.ERROR) as log,
        ):
            response = self.api("GET", self.store_url)
        self.assertError(response, 500, "api_error", "Something went wrong on our side")
        self.assertNotIn(b"internal detail", response.content)
        self.assertIn(response["request-id"], log.output[0])
        self.assertIn("internal detail", log.output[0])
        self.assertEqual(response["anthropic-workspace-id"], self.workspace.id)

    def test_a_database_that_is_away(self):
        for kind in (OperationalError, InterfaceError):
            with self.failing(kind("at host db-1")), self.assertLogs("stores.api", logging.ERROR):
                response = self.api("GET", self.store_url)
            self.assertError(response, 503, "api_error", "cannot be reached")
            self.assertNotIn(b"db-1", response.content)
            self.assertEqual(response["retry-after"], "1")

    def test_refusals_are_not_logged(self):
        with self.assertNoLogs(level=logging.WARNING):
            self.api("GET", self.store_url, key=None)
            self.api("GET", "/v1/none")
            self.api("POST", f"{self.store_url}/memories", {"path": "/tea.md", "content": ""})
            self.api("POST", self.memory_url, b"{")


class BodyTest(ApiTestCase):
    def post(self, data, **extra):
        return self.client.generic(
            "POST",
            f"{self.store_url}/memories",
            data,
            content_type=extra.pop("content_type", "application/json"),
            headers={"authorization": f"Bearer {self.admin}", "anthropic-beta": "agent-memory-2026-07-22"},
            **extra,
        )

    def test_comes_in_chunks(self):
        body = json.dumps({"path": "/x", "content": "é" * 1000}).encode()
        chunked = {"HTTP_TRANSFER_ENCODING": "Chunked", "CONTENT_LENGTH": ""}
        response = self.post(b"", **chunked, **{"wsgi.input": io.BytesIO(body)})
        self.assertOk(response)
        self.assertEqual(Memory.objects.get(path="/x").content_size_bytes, 2000)
        large = io.BytesIO(b" " * (1024 * 1024 + 1))
        response = self.post(b"", **chunked, **{"wsgi.input": large})
        self.assertError(response, 413, "request_too_large")
        response = self.post(b"", **chunked, **{"wsgi.input": io.BytesIO(b"")})
        self.assertInvalid(response)

    def test_that_ends_early_is_refused(self):
        body = b'{"path": "/x", "content": ""}'
        response = self.post(b"", CONTENT_LENGTH="100", **{"wsgi.input": io.BytesIO(body)})
        self.assertInvalid(response, "ended early")
        self.assertFalse(Memory.objects.filter(path="/x").exists())

    def test_of_a_length_that_is_none_counts_as_empty(self):
        for length in ("x", "-5", ""):
            self.assertInvalid(self.post(b"", CONTENT_LENGTH=length), "not valid JSON")

    def test_and_query_are_utf8(self):
        self.api("POST", f"{self.store_url}/memories", {"path": "/\ufffd/x", "content": ""})
        for prefix in ("%2F%ff%2F", "/%ED%A0%80/", "%c3%28"):
            with self.subTest(prefix=prefix):
                response = self.api("GET", f"{self.store_url}/memories?path_prefix={prefix}")
                self.assertInvalid(response, "The query is not UTF-8")
        found = self.assertOk(self.api("GET", f"{self.store_url}/memories?path_prefix=/%EF%BF%BD/"))
        self.assertEqual([item["path"] for item in found["data"]], ["/\ufffd/x"])

    def test_may_call_itself_anything(self):
        for number, kind in enumerate(("text/plain", "application/x-www-form-urlencoded", "", "x")):
            body = json.dumps({"path": f"/{number}", "content": ""}).encode()
            self.assertOk(self.post(body, content_type=kind))

    def test_of_the_greatest_length_is_read(self):
        body = json.dumps({"path": "/x", "content": ""}).encode()
        self.assertOk(self.post(body + b" " * (1024 * 1024 - len(body))))

    def test_a_key_given_twice_counts_last(self):
        self.assertOk(self.post(b'{"path": "/x", "path": "/y", "content": ""}'))
        self.assertTrue(Memory.objects.filter(path="/y").exists())


class ErrorTableTest(SimpleTestCase):
    """contract/memory_stores_api.md, 5.2: every error of the domain has its status and type."""

    def test_each_error(self):
        for kind, status, wire_type in (
            (domain.InvalidInput, 400, "invalid_request_error"),
            (domain.PathInvalid, 400, "invalid_request_error"),
            (domain.ContentInvalid, 400, "invalid_request_error"),
            (domain.StoreArchived, 400, "invalid_request_error"),
            (domain.LimitReached, 400, "invalid_request_error"),
            (domain.VersionIsHead, 400, "invalid_request_error"),
            (domain.VersionRedacted, 400, "invalid_request_error"),
            (domain.PermissionDenied, 403, "permission_error"),
            (domain.StoreNotFound, 404, "not_found_error"),
            (domain.MemoryNotFound, 404, "not_found_error"),
            (domain.VersionNotFound, 404, "not_found_error"),
            (domain.PathTaken, 409, "memory_path_conflict_error"),
            (domain.PreconditionFailed, 409, "memory_precondition_failed_error"),
            (domain.Conflict, 409, "conflict_error"),
        ):
            with self.subTest(kind.__name__):
                expected_headers = {"x-should-retry": "false"} if status == 409 else {}
                self.assertEqual(
                    errors.describe(kind("Why.", more="x")),
                    (status, {"type": wire_type, "message": "Why.", "more": "x"}, expected_headers),
                )

    def test_no_error_of_the_domain_is_missing(self):
        def family(kind):
            return {kind}.union(*(family(child) for child in kind.__subclasses__()))

        for kind in family(domain.DomainError) - {domain.DomainError}:
            if kind.__module__ == domain.__name__:
                with self.subTest(kind.__name__):
                    errors.describe(kind("Why."))

    def test_what_is_not_ours_is_raised_again(self):
        with self.assertRaises(ZeroDivisionError):
            errors.describe(ZeroDivisionError())
