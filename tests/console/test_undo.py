"""Undoing what somebody wrote: shown first, done as shown, taken back at once."""

from datetime import UTC, datetime, timedelta
from typing import Any

from stores.domain.actors import Road, session_actor
from stores.domain.memories import delete_memory, update_memory
from stores.domain.stores import archive_store
from stores.domain.versions import redact_version
from stores.models import Memory, MemoryVersion, Role
from tests.console import hostile
from tests.console.cases import ConsoleTestCase, Page
from tests.factories import make_member, make_memory, make_store, make_user, make_version

SESSION = "sesn_01" + "k" * 22
BEGIN = datetime(2027, 3, 2, 9, tzinfo=UTC)


def preview_form(page: Page) -> dict[str, list[str]]:
    """What the preview sends, as it stands: ticked boxes only."""
    html = page.html.partition('<form class="plan"')[2].partition("</form>")[0]
    found: dict[str, list[str]] = {}
    for field in Page(html).all("input"):
        if "name" in field and (field.get("type") != "checkbox" or "checked" in field):
            found.setdefault(field["name"] or "", []).append(field.get("value") or "")
    return found


class UndoPage(ConsoleTestCase):
    @classmethod
    def setUpTestData(cls) -> None:
        super().setUpTestData()
        cls.agent = session_actor(
            session_id=SESSION, label="support-agent", workspace_id=cls.workspace.id, road=Road.TOOL
        )
        cls.here = {"store_id": cls.store.id}
        write = {"actor": cls.actor, "store": cls.store}
        cls.edited, cls.moved, cls.gone, cls.built_on = (
            make_memory(**write, path=f"/{name}.md", content=f"{name}\n", now=BEGIN)
            for name in ("edited", "moved", "gone", "built-on")
        )
        later = iter(BEGIN + timedelta(minutes=number) for number in range(1, 99))
        change = {"actor": cls.agent, **cls.here}
        update_memory(**change, memory_id=cls.edited.id, content="90 days\n", now=next(later))
        update_memory(**change, memory_id=cls.moved.id, path="/elsewhere.md", now=next(later))
        delete_memory(**change, memory_id=cls.gone.id, now=next(later))
        cls.made = make_memory(actor=cls.agent, store=cls.store, path="/made.md", now=next(later))
        update_memory(**change, memory_id=cls.built_on.id, content="agent\n", now=next(later))
        cls.human = make_version(
            actor=cls.actor, memory=cls.built_on, content="agent and person\n", now=next(later)
        )
        cls.url = f"/activity/undo/?actor={SESSION}"

    def setUp(self) -> None:
        self.client.force_login(self.owner)

    def texts(self) -> dict[str, str]:
        heads = Memory.objects.filter(store=self.store).values_list("path", "head_version_id")
        contents = dict(MemoryVersion.objects.values_list("id", "content"))
        return {path: contents[head] for path, head in heads if path != self.memory.path}

    def form(self, url: str = "") -> dict[str, Any]:
        return preview_form(self.page(url or self.url))

    def send(self, form: dict[str, Any], url: str = "") -> Any:
        return self.client.post(url or self.url, form, follow=True)

    def tick(self, form: dict[str, Any], *memories: Any) -> dict[str, Any]:
        ids = [memory.id for memory in memories]
        return form | {"tick": [t for t in form["tick"] if t.partition(".")[0] in ids]}

    def undo_the_last(self, response: Any) -> None:
        forms = Page(response.content.decode()).all("form")
        [url] = [
            f["action"] for f in forms if "/undo/" in (f.get("action") or "") and "versions" in f["action"]
        ]
        self.client.post(url)


class Preview(UndoPage):
    def test_says_memory_by_memory_what_would_happen(self):
        page = self.page(self.url)
        self.assertIn("Undo what this session wrote", page.text)
        self.assertIn(
            "4 memories would go back to what they were before: 1 restored, 1 moved back, 1 brought back, "
            "1 deleted.",
            page.text,
        )
        for words in (
            "Restored /edited.md v2 → v1",
            "→Moved back /elsewhere.mdto /moved.md v2 → v1",
            "Brought back /gone.md deleted → v1",
            "Deleted /made.md v1 → deleted",
        ):
            self.assertIn(words, page.text.replace("↺", "").replace("−", "").replace("+", ""))
        self.assertEqual(len(self.form()["tick"]), 4)

    def test_is_what_is_then_done_and_taken_back(self):
        before = self.texts()
        page = self.send(self.form() | {"reason": "wrong on Tuesday"})
        self.assertContains(page, "Undone: 4 memories. 1 left alone. Somebody else has changed")
        self.assertEqual(
            self.texts(),
            {
                "/edited.md": "edited\n",
                "/moved.md": "moved\n",
                "/gone.md": "gone\n",
                "/built-on.md": "agent and person\n",
            },
        )
        written = MemoryVersion.objects.filter(reason="wrong on Tuesday")
        self.assertEqual(written.count(), 4)
        self.assertEqual(written.values("created_at").distinct().count(), 1)
        self.undo_the_last(page)
        self.assertEqual(self.texts(), before)

    def test_names_what_others_built_on_with_their_version(self):
        page = self.page(self.url)
        self.assertIn("Cannot be undone 1 /built-on.md", page.text)
        self.assertIn("Ada Lovett has changed it afterwards.", page.text)
        self.assertIn(f"{self.store_url}versions/{self.human.id}/", page.links())

    def test_says_where_somebody_else_deleted_it(self):
        delete_memory(actor=self.actor, **self.here, memory_id=self.built_on.id)
        self.assertIn("Ada Lovett has deleted it afterwards.", self.page(self.url).text)

    def test_offers_to_undo_only_what_came_after_that(self):
        self.assertNotIn("Undo only what came after that", self.page(self.url).text)
        update_memory(actor=self.agent, **self.here, memory_id=self.built_on.id, content="agent again\n")
        self.assertIn("Undo only what came after that", self.page(self.url).text)
        form = self.form()
        self.assertNotIn("later", form)
        page = self.send(form | {"tick": [], "later": self.built_on.id})
        self.assertContains(page, "Undone: 1 memory.")
        self.assertEqual(self.texts()["/built-on.md"], "agent and person\n")
        self.assertEqual(self.texts()["/edited.md"], "90 days\n")
        self.assertContains(self.send(form | {"tick": [], "later": self.built_on.id}), "undone already")

    def test_says_what_is_redacted_and_what_is_in_the_way(self):
        redact_version(actor=self.actor, **self.here, version_id=self.edited.head_version_id)
        taker = make_memory(actor=self.actor, store=self.store, path="/moved.md")
        page = self.page(self.url)
        self.assertIn("The text is redacted or no longer kept.", page.text)
        self.assertIn("Another memory is in the way at /moved.md.", page.text)
        self.assertIn(f"{self.store_url}memories/{taker.id}/", page.links())
        self.assertEqual(len(self.form()["tick"]), 2)
        # A path is no matter for a message, which lies in a cookie.
        self.assertNotIn("in the way at", str(self.client.post(self.url, self.form()).cookies))

    def test_of_an_archived_store_refuses_and_says_so(self):
        archive_store(actor=self.actor, **self.here)
        page = self.page(self.url)
        self.assertIn("The memory store is archived and can no longer be changed.", page.text)
        self.assertIn("Nothing here can be undone at once.", page.text)
        self.assertEqual(preview_form(page).get("tick"), None)

    def test_without_anything_says_so(self):
        self.assertIn("There is nothing to undo", self.page("/activity/undo/?actor=sesn_nobody").text)
        self.send(self.tick_all_but_conflicts())
        page = self.page(f"{self.url}&until=2027-03-01")
        self.assertIn("Nothing was written that is like this.", page.text)

    def tick_all_but_conflicts(self) -> dict[str, Any]:
        return self.form()

    def test_shows_paths_names_and_stores_as_text(self):
        bad = make_store(actor=self.actor, name=hostile.NAME)
        evil = session_actor(session_id="sesn_evil", label=hostile.NAME, workspace_id=self.workspace.id)
        hostile.make_hostile_memories(actor=evil, store=bad)
        for url in ("/activity/undo/?actor=sesn_evil", f"/activity/undo/?since=2020-01-01&store={bad.id}"):
            page = self.page(url)
            self.assertEqual((page.inline_code(), page.all("img")), ([], []))
            self.assertNotIn("\u202e", page.html)

    def test_takes_the_same_queries_for_few_and_many(self):
        for how_many in (1, 30):
            agent = session_actor(
                session_id=f"sesn_{how_many}", label="", workspace_id=self.workspace.id, road=Road.TOOL
            )
            for number in range(how_many):
                for word in ("edited", "moved", "gone", "built"):
                    memory = make_memory(
                        actor=self.actor, store=self.store, path=f"/{how_many}/{word}{number}"
                    )
                    make_version(actor=agent, memory=memory)
                    if word == "moved":
                        update_memory(actor=agent, **self.here, memory_id=memory.id, path=f"{memory.path}-x")
                    if word == "gone":
                        delete_memory(actor=agent, **self.here, memory_id=memory.id)
                    if word == "built":
                        make_version(actor=self.actor, memory=memory)
            with self.assertNumQueries(10):
                self.client.get(f"/activity/undo/?actor=sesn_{how_many}")


class Choosing(UndoPage):
    def test_leaves_what_is_not_ticked(self):
        self.send(self.tick(self.form(), self.edited, self.made))
        self.assertEqual(
            self.texts(),
            {"/edited.md": "edited\n", "/elsewhere.md": "moved\n", "/built-on.md": "agent and person\n"},
        )

    def test_nothing_ticked_does_nothing(self):
        response = self.send(self.form() | {"tick": []})
        self.assertContains(response, "Nothing is ticked", status_code=400)

    def test_refuses_what_was_not_offered(self):
        form = self.form()
        for wrong in (
            {"tick": [*form["tick"], "mem_x.12345678"]},
            {"tick": ["\0"]},
            {"later": self.built_on.id},
            {"later": self.memory.id},
        ):
            with self.subTest(wrong):
                self.assertEqual(self.send(form | wrong).status_code, 404)
        self.assertContains(self.send(form | {"reason": "x" * 600}), "reason", status_code=400)
        self.assertIn("/made.md", self.texts())

    def test_long_lists_are_ticked_in_part_and_as_a_whole(self):
        agent = session_actor(session_id="sesn_many", label="", workspace_id=self.workspace.id)
        for number in range(205):
            make_memory(actor=agent, store=self.store, path=f"/many/{number:03}.md")
        url = "/activity/undo/?actor=sesn_many"
        self.assertIn("and 5 more that are not listed", self.page(url).text)
        form = self.form(url)
        self.assertEqual(len(form["tick"]), 200)
        many = Memory.objects.filter(path__startswith="/many/")
        self.send(form | {"tick": form["tick"][:1]}, url)
        self.assertEqual(sorted(many.values_list("path", flat=True))[0], "/many/001.md")
        self.assertEqual(many.count(), 199)
        form = self.form(url)
        self.assertNotIn("rest", form)
        self.assertContains(self.send(form | {"reason": ""}, url), "Undone: 199 memories.")

    def test_more_than_can_be_undone_at_once_is_refused(self):
        from stores.domain import undo  # so that it is the module that is changed

        most, undo.MOST_MEMORIES = undo.MOST_MEMORIES, 1
        self.addCleanup(setattr, undo, "MOST_MEMORIES", most)
        page = self.page(self.url)
        self.assertIn("the most that can be undone at once", page.text)
        self.assertEqual(page.html.count('class="plan"'), 0)


class Meanwhile(UndoPage):
    def test_what_changed_since_is_shown_again_and_nothing_overwritten(self):
        form = self.form()
        make_version(actor=self.actor, memory=self.edited, content="mine\n")
        before = self.texts()
        response = self.send(form)
        self.assertContains(response, "Nothing was done yet", status_code=400)
        self.assertContains(response, "Of what was ticked, 1 memory changed.", status_code=400)
        self.assertEqual(self.texts(), before)
        again = preview_form(Page(response.content.decode()))
        self.assertEqual(len(again["tick"]), 3)
        self.send(again)
        self.assertEqual(self.texts()["/edited.md"], "mine\n")
        self.assertEqual(self.texts()["/gone.md"], "gone\n")

    def test_what_is_not_ticked_may_change(self):
        form = self.tick(self.form(), self.edited)
        make_memory(actor=self.agent, store=self.store, path="/new.md")
        make_version(actor=self.agent, memory=self.made, content="and on\n")
        self.assertContains(self.send(form), "Undone: 1 memory.")
        self.assertEqual(self.texts()["/edited.md"], "edited\n")
        self.assertEqual((self.texts()["/made.md"], "/new.md" in self.texts()), ("and on\n", True))

    def test_what_is_new_is_marked_and_not_ticked(self):
        make_version(actor=self.agent, memory=self.made, content="and on\n")
        form = self.tick(self.form(), self.edited, self.made) | {"reason": "kept"}
        make_memory(actor=self.agent, store=self.store, path="/new.md")
        make_version(actor=self.agent, memory=self.made, content="and on again\n")
        page = Page(self.send(form).content.decode())
        self.assertIn("Of what was ticked, 1 memory changed.", page.text)
        self.assertIn("Deleted New /new.md", page.text)
        self.assertIn('value="kept"', page.html)
        self.assertEqual(preview_form(page)["tick"], self.tick(form, self.edited)["tick"])

    def test_a_second_click_does_nothing_more(self):
        form = self.tick(self.form(), self.edited, self.gone)
        self.send(form)
        count = MemoryVersion.objects.count()
        response = self.send(form)
        self.assertContains(response, "what was ticked is undone already")
        self.assertEqual(MemoryVersion.objects.count(), count)
        all_of_it = self.form()
        self.send(all_of_it)
        self.assertContains(self.send(all_of_it), "what was ticked is undone already")

    def test_of_a_span_goes_on_to_nothing(self):
        url = f"/activity/undo/?since=2027-03-02&store={self.store.id}"
        self.send(self.form(url), url)
        # What was written in the span by undoing itself is not undone in turn.
        self.assertIn("There is nothing to undo", self.page(url).text)
        self.assertEqual(self.texts(), {})


class Filters(UndoPage):
    def test_are_those_of_the_stream(self):
        other = make_store(actor=self.actor, name="Other")
        make_memory(actor=self.agent, store=other, path="/there.md", now=BEGIN + timedelta(days=3))
        for query, wanted in {
            f"actor={SESSION}": 5,
            f"actor={SESSION}&store={other.id}": 1,
            f"actor={SESSION}&store={self.store.id}": 4,
            f"actor={SESSION}&road=tool": 5,
            f"actor={SESSION}&kind=session_actor": 5,
            f"actor={SESSION}&road=api": 0,
            f"actor={SESSION}&since=2027-03-03": 1,
            f"actor={SESSION}&until=2027-03-02": 4,
            f"since=2027-03-05&store={other.id}": 1,
        }.items():
            with self.subTest(query):
                self.assertEqual(len(self.form(f"/activity/undo/?{query}").get("tick", [])), wanted)
        # Where there are several stores, each row names its own.
        self.assertIn("/there.md Other deleted", self.page(self.url).text.replace("v1 → ", ""))

    def test_that_undoing_does_not_know_are_said_and_refused(self):
        for query, words, goes_on in (
            (f"actor={SESSION}&operation=deleted", "What was deleted cannot be undone alone", True),
            (f"actor={SESSION}&kind=user_actor", "of another kind", True),
            ("kind=session_actor&since=2027-03-01", "cannot be narrowed to sessions", True),
            ("kind=session_actor", "cannot be narrowed to sessions", False),
            ("", "Say whose writing to undo", False),
            ("until=2027-03-01", "Say whose writing to undo", False),
        ):
            with self.subTest(query):
                url = f"/activity/undo/?{query}"
                for response in (self.client.get(url), self.client.post(url, self.form())):
                    self.assertContains(response, words, status_code=400)
                    page = Page(response.content.decode())
                    self.assertEqual("Go on without that filter" in page.text, goes_on)
        self.assertEqual(len(self.texts()), 4)

    def test_that_are_none_are_refused(self):
        for query in (
            "actor=x",
            "actor=sesn_%00",
            "store=x",
            f"store={make_store().id}",
            "store=memstore_01nothing",
            "road=nonsense",
            "since=yesterday",
            "until=2027-99-99",
            "kind=x",
            "operation=x",
            "folder=/a/",
        ):
            with self.subTest(query):
                url = f"/activity/undo/?actor={SESSION}&{query}"
                self.assertEqual(self.client.get(url).status_code, 404)
                self.assertEqual(self.client.post(url, self.form()).status_code, 404)


class Ways(UndoPage):
    def test_lead_from_the_stream_a_version_and_a_diff(self):
        head = Memory.objects.get(id=self.edited.id).head_version_id
        for path in (
            f"/activity/?actor={SESSION}",
            f"{self.store_url}versions/{head}/",
            f"{self.store_url}diff/?to={head}",
        ):
            with self.subTest(path):
                self.assertIn(self.url, self.page(path).links())
                colleagues = self.page(path, user=self.colleague).links()
                self.assertFalse([link for link in colleagues if "/undo/" in link])
        self.assertFalse([link for link in self.page("/activity/").links() if "/undo/" in link])
        spanned = self.page(f"/activity/?since=2027-03-01&store={self.store.id}").links()
        self.assertIn(f"/activity/undo/?store={self.store.id}&since=2027-03-01", spanned)
        history = self.page(f"{self.store_url}memories/{self.edited.id}/history/")
        self.assertIn(f"/activity/?actor={SESSION}", history.links())

    def test_lead_from_restoring_a_version(self):
        restore = f"{self.store_url}versions/{self.edited.head_version_id}/restore/"
        self.assertIn("Then show me what else", self.page(restore).text)
        response = self.client.post(restore, {"reason": "30", "others": SESSION}, follow=True)
        self.assertEqual(response.redirect_chain[-1][0], self.url)
        self.assertContains(response, "is a restore of v1")
        self.assertContains(response, "3 memories would go back")
        self.assertContains(response, "1 is as before already")

    def test_rights(self):
        form = self.form()
        for user, status in ((self.colleague, 403), (self.stranger, 400)):
            self.client.force_login(user)
            self.assertIn(self.client.get(self.url).status_code, (status, 200 if status == 400 else 403))
            response = self.client.post(self.url, form)
            self.assertEqual(response.status_code, status)
            self.assertNotContains(response, "edited.md", status_code=status)
        self.assertIn("/made.md", self.texts())
        self.client.logout()
        self.assertEqual(self.client.get(self.url).status_code, 302)
        self.assertEqual(self.client.post(self.url, form).status_code, 401)
        editor = make_user()
        make_member(workspace=self.workspace, user=editor, role=Role.EDITOR)
        self.client.force_login(editor)
        self.assertContains(self.client.post(self.url, form, follow=True), "Undone: 4 memories.")
