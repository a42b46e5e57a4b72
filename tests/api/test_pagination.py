"""Cursors: opaque, and good for the listing they came from only (contract/memory_stores_api.md, 4.7)."""

from datetime import UTC, datetime, timedelta, timezone

from django.test import SimpleTestCase, override_settings
from hypothesis import assume, given
from hypothesis import strategies as st

from stores.api.errors import ApiError
from stores.api.pagination import make_cursor, read_cursor
from tests.cases import ApiTestCase
from tests.factories import make_memory, make_store, make_version

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
POSITIONS = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=40),
    st.sampled_from(["memver_01abc", "/a/b/c.md", "/folder/", "/é/日本/😀"]),
)
INSTANTS = st.integers(0, 10**15).map(lambda micros: NOON + timedelta(microseconds=micros))
FILTERS = st.text(st.characters(codec="utf-8"), max_size=9)
SCOPES = st.lists(st.none() | st.booleans() | st.integers(0, 9) | FILTERS | INSTANTS, max_size=6)
BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def is_accepted(cursor, scope):
    try:
        return read_cursor(cursor, scope) is not None
    except ApiError as error:
        return error.status != 400


class CursorTest(SimpleTestCase):
    @given(POSITIONS, SCOPES)
    def test_comes_back_as_it_went_in(self, position, scope):
        cursor = make_cursor(position, scope)
        self.assertRegex(cursor, r"\Apage_[A-Za-z0-9_-]+\Z")
        self.assertEqual(read_cursor(cursor, scope), position)
        self.assertEqual(make_cursor(position, list(scope)), cursor)

    @given(POSITIONS, SCOPES, st.data())
    def test_with_any_change_it_is_none(self, position, scope, data):
        cursor = make_cursor(position, scope)
        at = data.draw(st.integers(0, len(cursor)))
        cut = data.draw(st.integers(0, 3))
        put = data.draw(st.text(BASE64 + "=+/ é\0\n", max_size=3))
        changed = cursor[:at] + put + cursor[at + cut :]
        assume(changed != cursor)
        self.assertFalse(is_accepted(changed, scope), changed)

    def test_its_last_character_has_one_spelling(self):
        # Of base64's last character some bits count for nothing: 3 or 15 others stand for the same bytes.
        for position in ("x", "xx", "xxx"):
            cursor = make_cursor(position, [])
            accepted = [c for c in BASE64 + "=" if is_accepted(cursor[:-1] + c, [])]
            self.assertEqual(accepted, [cursor[-1]])
            self.assertFalse(is_accepted(cursor + "=", []))
            self.assertFalse(is_accepted(cursor + "==", []))

    @given(POSITIONS, SCOPES, SCOPES)
    def test_in_another_listing_it_is_none(self, position, scope, other):
        # Equal values of different types are different filters.
        assume([(type(v), v) for v in scope] != [(type(v), v) for v in other])
        self.assertFalse(is_accepted(make_cursor(position, scope), other))

    def test_an_instant_in_another_offset_is_the_same_filter(self):
        there = NOON.astimezone(timezone(timedelta(hours=5, minutes=30)))
        self.assertEqual(read_cursor(make_cursor("x", [NOON]), [there]), "x")

    def test_of_another_installation_it_is_none(self):
        cursor = make_cursor("x", [])
        with override_settings(SECRET_KEY="another key that is long enough for it"):
            self.assertFalse(is_accepted(cursor, []))

    def test_absent_it_begins_at_the_first_page(self):
        self.assertIsNone(read_cursor(None, ["x"]))


class CursorsOfListingsTest(ApiTestCase):
    @classmethod
    def setUpTestData(cls):
        super().setUpTestData()
        cls.other = make_store(actor=cls.actor)
        for store in (cls.store, cls.other):
            make_memory(actor=cls.actor, store=store, path="/root.md")
            for number in range(3):
                memory = make_memory(actor=cls.actor, store=store, path=f"/dir/{number}")
                make_version(actor=cls.actor, memory=memory)
                make_memory(actor=cls.actor, store=store, path=f"/dir/sub{number}/x")
        cls.dir_memory = memory
        cls.stores = "/v1/memory_stores"
        cls.memories = f"{cls.stores}/{cls.store.id}/memories"
        cls.versions = f"{cls.stores}/{cls.store.id}/memory_versions"

    def cursor(self, url, **query):
        page = self.assertOk(self.api("GET", url, query={"limit": 1, **query}))["next_page"]
        self.assertIsNotNone(page)
        return page

    def assertRefused(self, url, cursor, *, key="", **query):
        response = self.api("GET", url, query={"page": cursor, **query}, key=key)
        self.assertInvalid(response, "page is not a cursor of this listing")

    def test_are_good_for_their_endpoint_only(self):
        cursors = {url: self.cursor(url) for url in (self.stores, self.memories, self.versions)}
        for url in cursors:
            for made_by, cursor in cursors.items():
                if made_by != url:
                    with self.subTest(url=url, made_by=made_by):
                        self.assertRefused(url, cursor)

    def test_are_good_for_their_store_only(self):
        for kind in ("memories", "memory_versions"):
            cursor = self.cursor(f"{self.stores}/{self.store.id}/{kind}")
            self.assertRefused(f"{self.stores}/{self.other.id}/{kind}", cursor)

    def test_are_good_for_their_workspace_only(self):
        self.assertRefused(self.stores, self.cursor(self.stores), key=self.stranger)

    def test_are_good_for_their_filters_only(self):
        past, future = "2020-01-01T00:00:00Z", "2040-01-01T00:00:00Z"
        for url, filters in (
            (self.stores, {"include_archived": "true"}),
            (self.stores, {"created_at[gte]": past}),
            (self.stores, {"created_at[lte]": future}),
            (self.memories, {"path_prefix": "/dir/"}),
            (self.memories, {"depth": 1}),
            (self.memories, {"depth": 1, "path_prefix": "/dir/"}),
            (self.versions, {"memory_id": self.dir_memory.id}),
            (self.versions, {"operation": "created"}),
            (self.versions, {"api_key_id": self.admin_key.id}),
            (self.versions, {"created_at[gte]": past}),
            (self.versions, {"created_at[lte]": future}),
        ):
            with self.subTest(url=url, **filters):
                url = url.replace(self.store.id, self.dir_memory.store_id)
                cursor = self.cursor(url, **filters)
                self.assertOk(self.api("GET", url, query={"page": cursor, **filters}))
                self.assertRefused(url, cursor)
                self.assertRefused(url, self.cursor(url), **filters)

    def test_each_of_two_filters_counts(self):
        both = {"operation": "created", "created_at[gte]": "2020-01-01T00:00:00Z"}
        cursor = self.cursor(self.versions, **both)
        self.assertRefused(self.versions, cursor, **(both | {"operation": "modified"}))
        self.assertRefused(
            self.versions, cursor, **(both | {"created_at[gte]": "2020-01-01T00:00:00.000001Z"})
        )

    def test_limit_and_view_may_change(self):
        for url in (self.memories, self.versions):
            cursor = self.cursor(url)
            whole = self.assertOk(self.api("GET", url))["data"]
            for query in ({"limit": 100}, {"limit": 100, "view": "full"}, {"limit": 2}):
                data = self.assertOk(self.api("GET", url, query={"page": cursor, **query}))["data"]
                self.assertEqual(
                    [item["id"] for item in data],
                    [item["id"] for item in whole[1 : 1 + query["limit"]]],
                )

    def test_another_key_of_the_workspace_goes_on(self):
        cursor = self.cursor(self.memories)
        self.assertOk(self.api("GET", self.memories, query={"page": cursor}, key=self.reader))

    def test_the_same_filter_spelled_otherwise_goes_on(self):
        cursor = self.cursor(self.stores, **{"created_at[gte]": "2020-01-01T00:00:00Z"})
        query = {"page": cursor, "created_at[gte]": "2020-01-01T01:00:00+01:00", "include_archived": "false"}
        self.assertOk(self.api("GET", self.stores, query=query))
        cursor = self.cursor(self.memories)
        self.assertOk(self.api("GET", self.memories, query={"page": cursor, "path_prefix": "/", "depth": 0}))

    def test_show_nothing_twice_and_skip_nothing_while_others_write(self):
        for url, key in ((self.memories, "path"), (self.versions, "id")):
            with self.subTest(url=url):
                data = self.assertOk(self.api("GET", url, query={"limit": 100}))["data"]
                whole = [item[key] for item in data]
                seen, page = [], None
                for step in range(100):
                    query = {"limit": 2} | ({"page": page} if page else {})
                    data = self.assertOk(self.api("GET", url, query=query))
                    seen += [item[key] for item in data["data"]]
                    page = data["next_page"]
                    if page is None:
                        break
                    make_memory(actor=self.actor, store=self.store, path=f"/dir/!{key}{step}")
                    make_memory(actor=self.actor, store=self.store, path=f"/zz/{key}{step}")
                self.assertEqual(len(seen), len(set(seen)))
                self.assertEqual([item for item in seen if item in whole], whole)
