"""Making, renaming, archiving and deleting stores."""

from stores.models import Memory, MemoryStore, Role
from tests.console import hostile
from tests.console.cases import ConsoleTestCase, Page
from tests.factories import make_member, make_store, make_user


class SettingsCase(ConsoleTestCase):
    def setUp(self) -> None:
        self.client.force_login(self.owner)

    @property
    def settings_url(self) -> str:
        return f"{self.store_url}settings/"

    def form(self, url: str) -> dict[str, list[str]]:
        """What the browser would send of the first form if nothing were touched."""
        html = self.client.get(url).content.decode()
        page = Page(html)
        found: dict[str, list[str]] = {}
        for field in page.all("input"):
            if field.get("name") in ("name", "key", "value"):
                value = (field.get("value") or "").replace("\r", "").replace("\n", "")
                found.setdefault(field["name"], []).append(value)
        import html as escaping

        text = html.partition('name="description"')[2].partition(">")[2].partition("</textarea>")[0]
        found["description"] = [
            escaping.unescape(text).removeprefix("\n").replace("\r\n", "\n").replace("\n", "\r\n")
        ]
        return found


class Creating(SettingsCase):
    def test_an_empty_store(self):
        page = self.client.post(
            "/stores/new/", {"name": "New", "description": "For\r\nall", "template": "blank"}, follow=True
        )
        self.assertContains(page, "The store is there.")
        store = MemoryStore.objects.get(name="New")
        self.assertEqual((store.description, store.memory_count), ("For\nall", 0))

    def test_from_each_template(self):
        page = Page(self.client.get("/stores/new/").content.decode())
        keys = [i["value"] for i in page.all("input") if i.get("name") == "template"]
        self.assertEqual(keys, ["blank", "user_preferences", "project_log", "feature_checklist"])
        for key in keys:
            self.client.post("/stores/new/", {"name": key, "template": key})
            store = MemoryStore.objects.get(name=key)
            self.assertEqual(store.memory_count > 0, key != "blank")
            self.assertEqual(bool(store.description), key != "blank")

    def test_what_is_refused_comes_back(self):
        for form in ({"name": ""}, {"name": "x" * 256}, {"name": "a\tb"}, {"name": "n", "template": "none"}):
            response = self.client.post("/stores/new/", form | {"description": "kept words"})
            self.assertContains(response, "kept words", status_code=400)


class Changing(SettingsCase):
    def test_name_description_and_metadata(self):
        form = {"name": "Help", "description": "New", "key": ["team", "", "b"], "value": ["x", "", "y"]}
        self.assertContains(self.client.post(self.settings_url, form, follow=True), "Saved.")
        store = MemoryStore.objects.get(id=self.store.id)
        self.assertEqual(
            (store.name, store.description, store.metadata), ("Help", "New", {"team": "x", "b": "y"})
        )
        self.client.post(self.settings_url, form | {"key": ["b"], "value": ["z"]})
        store.refresh_from_db()
        self.assertEqual(store.metadata, {"b": "z"})

    def test_unchanged_nothing_changes_byte_for_byte(self):
        metadata = {"a\nb": "1\r\n2", hostile.IMAGE: hostile.REVERSED, "c": ""}
        store = make_store(actor=self.actor, name=hostile.NAME, description="\n a\r\nb\n", metadata=metadata)
        url = f"/stores/{store.id}/settings/"
        self.assertContains(self.client.post(url, self.form(url), follow=True), "Nothing was changed.")
        again = MemoryStore.objects.get(id=store.id)
        self.assertEqual(
            (again.description, again.metadata, again.updated_at),
            (store.description, metadata, store.updated_at),
        )

    def test_what_is_refused_comes_back(self):
        for form in (
            {"name": ""},
            {"description": "x" * 1025},
            {"key": ["a", "a"], "value": ["1", "2"]},
            {"key": [""], "value": ["1"]},
            {"key": ["k" * 65], "value": ["1"]},
        ):
            response = self.client.post(
                self.settings_url, {"name": "typed name", "description": "typed"} | form
            )
            self.assertEqual(response.status_code, 400)
            self.assertContains(response, "typed", status_code=400)

    def test_hostile_names_are_text(self):
        store = make_store(actor=self.actor, name=hostile.NAME, metadata={hostile.IMAGE: hostile.SCRIPT})
        page = Page(self.client.get(f"/stores/{store.id}/settings/").content.decode())
        self.assertEqual((page.inline_code(), page.all("img")), ([], []))

    def test_queries_are_fixed(self):
        for url, queries in ((self.settings_url, 5), ("/stores/new/", 3)):
            with self.subTest(url), self.assertNumQueries(queries):
                self.client.get(url)


class Ending(SettingsCase):
    def test_archive_asks_for_the_name(self):
        for typed in ("", "support", "Supp"):
            response = self.client.post(f"{self.settings_url}archive/", {"confirm": typed})
            self.assertContains(response, "not the name", status_code=400)
        self.assertContains(
            self.client.post(f"{self.settings_url}archive/", {"confirm": " Support"}, follow=True), "Archived"
        )
        self.assertIsNotNone(MemoryStore.objects.get(id=self.store.id).archived_at)
        page = self.client.get(self.settings_url)
        self.assertNotContains(page, "settings/archive/")
        self.assertContains(page, "settings/delete/")

    def test_delete_shows_counts_and_asks_for_the_name(self):
        self.assertContains(self.client.get(self.settings_url), "1 memory and 1 version go for good")
        response = self.client.post(f"{self.settings_url}delete/", {"confirm": "x"})
        self.assertContains(response, "not the name", status_code=400)
        page = self.client.post(f"{self.settings_url}delete/", {"confirm": "Support"}, follow=True)
        self.assertContains(page, "The store is deleted.")
        self.assertFalse(MemoryStore.objects.exists() or Memory.objects.exists())

    def test_a_name_that_nobody_can_type_goes_by_the_id(self):
        store = make_store(actor=self.actor, name=hostile.NAME)
        self.client.post(f"/stores/{store.id}/settings/delete/", {"confirm": store.id})
        blank = make_store(actor=self.actor, name="   ")
        for typed in ("", " ", "   "):
            response = self.client.post(f"/stores/{blank.id}/settings/delete/", {"confirm": typed})
            self.assertEqual(response.status_code, 400)
        self.assertEqual(self.client.post("/stores/new/", {"name": "  "}).status_code, 400)
        self.assertFalse(MemoryStore.objects.filter(id=store.id).exists())

    def test_changes_are_made_by_post_only(self):
        for what in ("archive", "delete"):
            self.assertEqual(self.client.get(f"{self.settings_url}{what}/").status_code, 405)


class Rights(SettingsCase):
    def test_for_admins_only(self):
        for role in (Role.VIEWER, Role.EDITOR, Role.REVIEWER):
            user = make_user()
            make_member(workspace=self.workspace, user=user, role=role)
            for url in ("/stores/new/", self.settings_url):
                self.assertEqual(self.get(url, user=user).status_code, 403)
                self.assertEqual(self.client.post(url, {"name": "x"}).status_code, 403)
            for what in ("archive", "delete"):
                self.assertEqual(
                    self.client.post(f"{self.settings_url}{what}/", {"confirm": "Support"}).status_code, 403
                )
            self.assertNotContains(self.get("/stores/", user=user), "/stores/new/")
            self.assertNotContains(self.get(self.store_url, user=user), "settings/")

    def test_strangers_find_nothing(self):
        self.client.force_login(self.stranger)
        self.assertEqual(self.client.get(self.settings_url).status_code, 404)
        for what in ("", "archive/", "delete/"):
            form = {"confirm": "Support", "name": "x"}
            self.assertEqual(self.client.post(self.settings_url + what, form).status_code, 404)
