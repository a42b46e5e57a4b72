"""Taking text out for good: who may, what is shown before, what is left."""

from stores.domain import memories
from stores.models import Memory, MemoryVersion, Role
from tests.console import hostile
from tests.console.cases import ConsoleTestCase, Page
from tests.factories import make_member, make_memory, make_store, make_user, make_version

SECRET = "sk-live-4242"


class RedactCase(ConsoleTestCase):
    def setUp(self) -> None:
        self.client.force_login(self.owner)
        self.leak = make_memory(
            actor=self.actor, store=self.store, path="/leak.md", content=f"Key: {SECRET}\nRest.\n"
        )
        self.copy = make_memory(
            actor=self.actor,
            store=make_store(actor=self.actor),
            path="/copy.md",
            content=f"Key: {SECRET}, it is.",
        )

    @property
    def leak_url(self) -> str:
        return f"{self.store_url}memories/{self.leak.id}/redact/"

    def version_redact_url(self, version_id: str) -> str:
        return f"{self.store_url}versions/{version_id}/redact/"

    def texts(self) -> str:
        return "\n".join(v or "" for v in MemoryVersion.objects.values_list("content", flat=True))


class AVersion(RedactCase):
    def test_is_emptied_after_a_preview_and_with_a_reason(self):
        make_version(actor=self.actor, memory=self.leak, content="Rest.\n")
        url = self.version_redact_url(self.leak.head_version_id)
        page = self.client.get(url)
        self.assertContains(page, "cannot be undone")
        self.assertContains(page, f"{self.copy.store_id}/memories/{self.copy.id}/redact/")
        for reason in ({}, {"reason": ""}, {"reason": " \t"}, {"reason": "x" * 501}):
            response = self.client.post(url, {"do": "redact", **reason})
            self.assertContains(response, 'role="alert"', status_code=400)
        self.assertIn("Rest.", MemoryVersion.objects.get(id=self.leak.head_version_id).content)
        page = self.client.post(url, {"do": "redact", "reason": "<b>Asked for"}, follow=True)
        self.assertContains(page, "Redacted: 1 version.")
        self.assertContains(page, "&lt;b&gt;Asked for")
        self.assertContains(
            self.client.get(f"{self.store_url}memories/{self.leak.id}/history/"), "&lt;b&gt;Asked for"
        )
        self.assertIsNone(MemoryVersion.objects.get(id=self.leak.head_version_id).content)
        self.assertContains(self.client.get(url), "redacted already")

    def test_takes_others_with_it(self):
        second = make_version(actor=self.actor, memory=self.leak, content=f"{SECRET} again")
        make_version(actor=self.actor, memory=self.leak, content="clean")
        form = {"do": "redact", "reason": "Asked for", "also": f"{self.store.id} {second.id}"}
        page = self.client.post(self.version_redact_url(self.leak.head_version_id), form, follow=True)
        self.assertContains(page, "Redacted: 2 versions.")

    def test_of_a_live_memory_leads_to_the_live_text(self):
        response = self.client.get(self.version_redact_url(self.leak.head_version_id))
        self.assertRedirects(response, self.leak_url)

    def test_loses_a_piece_and_keeps_the_rest(self):
        make_version(actor=self.actor, memory=self.leak, content="Rest.\n")
        url = self.version_redact_url(self.leak.head_version_id)
        page = self.client.post(url, {"do": "look", "fragment": SECRET})
        self.assertContains(page, "[redacted]")
        self.assertContains(page, "1 place")
        self.assertContains(
            self.client.post(url, {"do": "look", "fragment": "nowhere"}), "does not stand", status_code=400
        )
        self.client.post(url, {"do": "redact", "fragment": SECRET, "reason": "Asked for"})
        version = MemoryVersion.objects.get(id=self.leak.head_version_id)
        self.assertEqual((version.content, version.masked_content), (None, "Key: [redacted]\nRest.\n"))
        # What is left can be emptied as well.
        self.client.post(url, {"do": "redact", "reason": "Asked for"})
        version.refresh_from_db()
        self.assertIsNone(version.masked_content)

    def test_hostile_text_is_text(self):
        bad = make_memory(
            actor=self.actor,
            store=self.store,
            path="/b.md",
            content="\n".join(hostile.TEXTS.values())[:90_000],
        )
        make_version(actor=self.actor, memory=bad, content=hostile.IMAGE)
        page = Page(self.client.get(self.version_redact_url(bad.head_version_id)).content.decode())
        self.assertEqual((page.inline_code(), page.all("img")), ([], []))


class TheLiveText(RedactCase):
    def test_is_cleaned_by_hand_in_one_step(self):
        form = {"do": "clean", "text": "Rest.\r\n", "sha256": self.leak.content_sha256, "reason": "a key"}
        self.assertContains(
            self.client.post(self.leak_url, form | {"reason": " "}), "say why", status_code=400
        )
        page = self.client.post(self.leak_url, form, follow=True)
        self.assertContains(page, "Cleaned, and v1 redacted.")
        self.assertEqual(Memory.objects.get(id=self.leak.id).head_seq, 2)
        self.assertIsNone(MemoryVersion.objects.get(id=self.leak.head_version_id).content)

    def test_unchanged_or_stale_it_is_not(self):
        form = {
            "do": "clean",
            "text": f"Key: {SECRET}\r\nRest.\r\n",
            "sha256": self.leak.content_sha256,
            "reason": "x",
        }
        self.assertContains(self.client.post(self.leak_url, form), "nothing was removed", status_code=400)
        make_version(actor=self.actor, memory=self.leak, content="Newer.")
        response = self.client.post(self.leak_url, form | {"text": "other"})
        self.assertContains(response, "has changed since", status_code=400)
        self.assertContains(response, "Newer.", status_code=400)

    def test_a_value_goes_wherever_it_stands(self):
        make_version(actor=self.actor, memory=self.leak, content=f"{SECRET} v2")
        looked = self.client.post(self.leak_url, {"do": "look", "fragment": SECRET})
        self.assertContains(looked, "1 other version and 1 other live text")
        ticks = [
            box["value"] for box in Page(looked.content.decode()).all("input")
            if box.get("name") == "also" and "checked" in box
        ]  # fmt: skip
        self.assertEqual(len(ticks), 3)
        form = {"do": "everywhere", "fragment": SECRET, "also": ticks}
        self.assertContains(self.client.post(self.leak_url, form), "say why", status_code=400)
        page = self.client.post(self.leak_url, form | {"reason": "rotate"}, follow=True)
        self.assertContains(page, "2 live texts cleaned")
        self.assertNotIn(SECRET, self.texts())
        copy = memories.get_memory(actor=self.actor, store_id=self.copy.store_id, memory_id=self.copy.id)
        self.assertEqual(copy.content, "Key: [redacted], it is.")

    def test_what_was_written_since_is_cleaned_too_and_what_is_left_is_said(self):
        looked = self.client.post(self.leak_url, {"do": "look", "fragment": SECRET})
        [here] = [
            box["value"] for box in Page(looked.content.decode()).all("input")
            if box.get("name") == "also" and self.leak.id in box["value"]
        ]  # fmt: skip
        make_version(actor=self.actor, memory=self.leak, content=f"{SECRET}, and a line by an agent")
        form = {"do": "everywhere", "fragment": SECRET, "also": here, "reason": "rotate"}
        page = self.client.post(self.leak_url, form)
        self.assertContains(page, "It still stands in 1 live text and 0 older versions.")
        self.assertContains(page, self.copy.head_version_id)
        live = memories.get_memory(actor=self.actor, store_id=self.store.id, memory_id=self.leak.id)
        self.assertEqual(live.content, "[redacted], and a line by an agent")
        self.assertEqual(self.texts().count(SECRET), 1)

    def test_a_reason_may_hold_the_value_too(self):
        quoted = make_version(actor=self.actor, memory=self.leak, content="x", reason=f"took {SECRET} out")
        looked = self.client.post(self.leak_url, {"do": "look", "fragment": SECRET})
        self.assertContains(looked, f"{self.store.id} {quoted.id} {self.leak.id}")
        form = {"do": "everywhere", "fragment": SECRET, "also": f"{self.store.id} {quoted.id}", "reason": "r"}
        self.client.post(self.leak_url, form)
        self.assertEqual(MemoryVersion.objects.get(id=quoted.id).reason, "took [redacted] out")
        for kind in ("csv", "jsonl"):
            export = b"".join(self.client.get(f"/activity/export.{kind}").streaming_content).decode()
            self.assertNotIn(SECRET, export)

    def test_queries_of_the_page_are_fixed(self):
        with self.assertNumQueries(5):
            self.client.get(self.leak_url)

    def test_needs_enough_to_look_for_and_something_ticked(self):
        self.assertContains(
            self.client.post(self.leak_url, {"do": "look", "fragment": "ab"}), "at least 4", status_code=400
        )
        form = {"do": "everywhere", "fragment": SECRET, "reason": "x"}
        self.assertContains(self.client.post(self.leak_url, form), "Nothing is ticked", status_code=400)
        for also in ("nonsense", "memstore_1 memver_1", "\0"):
            self.assertEqual(self.client.post(self.leak_url, form | {"also": also}).status_code, 400)
        self.assertIn(SECRET, self.texts())


class Rights(RedactCase):
    def test_reviewers_may_and_editors_may_not(self):
        make_version(actor=self.actor, memory=self.leak, content="Rest.\n")
        for role, status in ((Role.REVIEWER, 200), (Role.EDITOR, 403), (Role.VIEWER, 403)):
            user = make_user()
            make_member(workspace=self.workspace, user=user, role=role)
            for url in (self.leak_url, self.version_redact_url(self.leak.head_version_id)):
                with self.subTest(role, url=url):
                    self.assertEqual(self.get(url, user=user).status_code, status)
            page = self.page(f"{self.store_url}memories/{self.leak.id}/", user=user)
            self.assertEqual(self.leak_url in page.links(), status == 200)
            if status == 403:
                self.assertEqual(
                    self.client.post(self.leak_url, {"do": "clean", "text": ""}).status_code, 403
                )

    def test_strangers_find_nothing(self):
        for url in (self.leak_url, self.version_redact_url(self.leak.head_version_id)):
            self.assertEqual(self.get(url, user=self.stranger).status_code, 404)
            self.assertEqual(self.client.post(url, {"do": "clean"}).status_code, 404)
