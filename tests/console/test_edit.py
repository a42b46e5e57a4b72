"""Editing a memory and making a new one: nothing is lost, nothing comes back that was taken out."""

from typing import Any

from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client

from stores.domain import memories, redaction, versions
from stores.domain.stores import archive_store
from stores.models import Memory, MemoryVersion, Role
from tests.console import hostile
from tests.console.cases import PASSWORD, ConsoleTestCase, Page
from tests.console.test_textarea import sent_by_a_browser
from tests.factories import make_member, make_memory, make_user


def fields(response: Any) -> dict[str, str]:
    """What a browser would send of the page's own form if nothing were touched."""
    page = Page(response.content.decode())
    found = {
        f["name"]: f.get("value") or ""
        for f in page.all("input")
        if f.get("name") and f.get("type") not in ("radio", "checkbox")
    }
    if page.all("textarea"):
        # The parser drops the newline behind the tag, and reads CRLF and CR as LF.
        raw = (
            response.content.decode().partition("<textarea")[2].partition(">")[2].partition("</textarea>")[0]
        )
        import html

        found["text"] = html.unescape(raw.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\n"))
    found["text"] = sent_by_a_browser(found.get("text", ""))
    return found


class EditCase(ConsoleTestCase):
    @property
    def edit_url(self) -> str:
        return f"{self.memory_url}edit/"

    def opened(self, url: str = "") -> dict[str, str]:
        return fields(self.get(url or self.edit_url))

    def live(self) -> str:
        return (
            memories.get_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id).content
            or ""
        )

    def count(self) -> int:
        return MemoryVersion.objects.filter(store_id=self.store.id).count()

    def said(self, response: Any) -> str:
        return " ".join(str(m) for m in get_messages(response.wsgi_request))

    def other_writes(self, content: str) -> None:
        memories.update_memory(
            actor=self.actor, store_id=self.store.id, memory_id=self.memory.id, content=content
        )


class Saving(EditCase):
    def test_writes_a_version_with_its_reason(self):
        form = self.opened() | {"text": "# Refunds\r\n\r\n14 days.\r\n", "reason": "New policy"}
        response = self.client.post(self.edit_url, form)
        self.assertRedirects(response, self.memory_url, fetch_redirect_response=False)
        version = MemoryVersion.objects.get(memory_id=self.memory.id, seq=2)
        self.assertEqual(
            (version.content, version.reason, version.actor_id, version.road),
            ("# Refunds\n\n14 days.\n", "New policy", self.owner.id, "console"),
        )
        page = self.client.get(self.memory_url)
        self.assertContains(page, "Saved as v2.")
        self.assertContains(page, f"versions/{version.id}/undo/")
        self.assertContains(page, f'data-saved="{self.owner.id} {self.memory.id}"')

    def test_unchanged_text_of_any_kind_makes_no_version(self):
        texts = [
            *hostile.TEXTS.values(),
            "\nleading",
            "a\r\nb\r\n",
            "a\rb",
            "no end",
            "blanks  \t\n \n",
            "\r\n",
        ]
        for number, text in enumerate(texts):
            memory = make_memory(actor=self.actor, store=self.store, path=f"/x/{number}", content=text)
            url = f"{self.store_url}memories/{memory.id}/edit/"
            with self.subTest(text[:40]):
                response = self.client.post(url, self.opened(url))
                self.assertEqual(response.status_code, 302)
                self.assertEqual(Memory.objects.get(id=memory.id).head_seq, 1)

    def test_says_that_there_are_hidden_characters(self):
        self.assertNotContains(self.get(self.edit_url), "hidden character")
        self.other_writes(f"{hostile.REVERSED}\r\n{hostile.INVISIBLE}\r\n")
        self.assertContains(self.get(self.edit_url), "4 hidden characters are in this text")

    def test_a_double_click_makes_one_version(self):
        form = self.opened() | {"text": "New\r\n"}
        for _ in range(2):
            self.assertRedirects(
                self.client.post(self.edit_url, form), self.memory_url, fetch_redirect_response=False
            )
        self.assertEqual(self.count(), 2)

    def test_a_refused_text_comes_back_with_the_reason(self):
        form = self.opened() | {"text": "x" * 102_401, "reason": "because"}
        response = self.client.post(self.edit_url, form)
        self.assertContains(response, "at most 102400 bytes", status_code=400)
        self.assertEqual(fields(response)["text"], "x" * 102_401)
        self.assertContains(response, 'value="because"', status_code=400)

    def test_a_reason_that_is_too_long_comes_back_with_the_text(self):
        response = self.client.post(self.edit_url, self.opened() | {"text": "new", "reason": "r" * 501})
        self.assertContains(response, "at most 500 characters", status_code=400)
        self.assertEqual(fields(response)["text"], "new")

    def test_shows_the_difference_before_saving(self):
        response = self.client.post(
            self.edit_url, self.opened() | {"text": "# Refunds\r\n\r\n9 days.\r\n", "do": "diff"}
        )
        self.assertContains(response, "What saving would change")
        self.assertContains(response, "<ins>9</ins>")
        self.assertEqual(self.count(), 1)

    def test_offers_to_redact_what_was_taken_out(self):
        response = self.client.post(self.edit_url, self.opened() | {"text": "# Refunds\r\n"}, follow=True)
        self.assertContains(response, f"versions/{self.memory.head_version_id}/redact/")

    def test_an_archived_store_keeps_the_text_in_the_form(self):
        form = self.opened() | {"text": "late"}
        archive_store(actor=self.actor, store_id=self.store.id)
        response = self.client.post(self.edit_url, form)
        self.assertContains(response, "archived", status_code=400)
        self.assertEqual(fields(response)["text"], "late")
        self.assertRedirects(self.client.get(self.edit_url), self.memory_url)


class Conflicts(EditCase):
    def resolve(self, response: Any, **choices: str) -> Any:
        return self.client.post(self.edit_url, fields(response) | choices)

    def test_parts_that_do_not_clash_are_merged(self):
        form = self.opened() | {"text": "# Refunds\r\n\r\n30 days.\r\nMine.\r\n", "reason": "mine"}
        self.other_writes("# Refunds, new\n\n30 days.\n")
        response = self.client.post(self.edit_url, form)
        self.assertContains(response, "Nothing clashes", status_code=409)
        self.assertContains(response, 'value="mine"', status_code=409)
        self.assertEqual(self.live(), "# Refunds, new\n\n30 days.\n")
        self.assertRedirects(self.resolve(response, then="save"), self.memory_url)
        self.assertEqual(self.live(), "# Refunds, new\n\n30 days.\nMine.\n")

    def test_a_clash_has_to_be_decided(self):
        form = self.opened() | {"text": "# Refunds\r\n\r\n14 days.\r\n"}
        self.other_writes("# Refunds\n\n90 days.\n")
        response = self.client.post(self.edit_url, form)
        for words in ("14", "90", "30 days.", "Clash"):
            self.assertContains(response, words, status_code=409)
        undecided = self.resolve(response, then="save")
        self.assertContains(undecided, "needs a choice", status_code=409)
        for choice, result in [
            ("mine", "14 days.\n"),
            ("theirs", "90 days.\n"),
            ("theirs_then_mine", "90 days.\n14 days.\n"),
            ("base", "30 days.\n"),
        ]:
            with self.subTest(choice):
                shown = self.resolve(response, then="edit", **{"part-1": choice})
                self.assertEqual(fields(shown)["text"], sent_by_a_browser(f"# Refunds\n\n{result}"))
        self.assertContains(
            self.resolve(response, **{"part-1": "nonsense"}), "no such choice", status_code=409
        )
        self.resolve(response, then="save", **{"part-1": "mine"})
        self.assertEqual(self.live(), "# Refunds\n\n14 days.\n")

    def test_faster_again_is_another_conflict_and_nothing_is_lost(self):
        form = self.opened() | {"text": "# Refunds\r\n\r\n14 days.\r\n"}
        self.other_writes("# Refunds\n\n90 days.\n")
        response = self.client.post(self.edit_url, form)
        self.other_writes("# Refunds\n\n60 days.\n")
        again = self.resolve(response, then="save", **{"part-1": "mine"})
        self.assertEqual(again.status_code, 409)
        self.assertContains(again, "60", status_code=409)
        self.assertEqual(fields(again)["text"], "# Refunds\r\n\r\n14 days.\r\n")
        self.assertEqual(self.live(), "# Refunds\n\n60 days.\n")

    def test_a_stale_tab_with_nothing_typed_changes_nothing(self):
        form = self.opened()
        self.other_writes("Newer.\n")
        self.assertRedirects(self.client.post(self.edit_url, form), self.memory_url)
        self.assertEqual(self.live(), "Newer.\n")

    def test_line_endings_are_kept_through_a_conflict(self):
        self.other_writes("a\r\nb\r\nc\r\nd\r\n")
        form = self.opened() | {"text": "A\r\nb\r\nc\r\nd\r\n"}
        self.other_writes("a\r\nb\r\nc\r\nD\r\n")
        self.resolve(self.client.post(self.edit_url, form), then="save")
        self.assertEqual(self.live(), "A\r\nb\r\nc\r\nD\r\n")

    def test_very_many_clashes_are_chosen_together(self):
        lines = [f"line {n}\n\n" for n in range(300)]
        self.other_writes("".join(lines))
        form = self.opened() | {"text": sent_by_a_browser("".join(lines).replace("line", "mine"))}
        self.other_writes("".join(lines).replace("line", "their"))
        response = self.client.post(self.edit_url, form)
        self.assertContains(response, "not chosen above", status_code=409)
        self.assertLess(len(response.content), 900_000)
        self.resolve(response, then="save", rest="mine")
        self.assertEqual(self.live(), "".join(lines).replace("line", "mine"))

    def test_hostile_text_is_text(self):
        self.other_writes(f"{hostile.IMAGE}\n{hostile.REVERSED}\n")
        form = self.opened() | {
            "text": f"{hostile.SCRIPT}\r\n{hostile.INVISIBLE}\r\n",
            "reason": hostile.NAME,
        }
        self.other_writes(f"{hostile.TEMPLATE}\n{hostile.CONTROLS}\n")
        response = self.client.post(self.edit_url, form)
        page = Page(response.content.decode())
        self.assertEqual(page.inline_code(), [])
        self.assertEqual(page.all("img"), [])
        self.assertEqual(fields(response)["text"], f"{hostile.SCRIPT}\r\n{hostile.INVISIBLE}\r\n")


class Redacted(EditCase):
    def redact_base(self) -> dict[str, str]:
        form = self.opened()
        redaction.redact_current(
            actor=self.actor, store_id=self.store.id, memory_id=self.memory.id, cleaned_content="# Refunds\n"
        )
        return form

    def test_text_does_not_come_back_from_a_stale_tab(self):
        form = self.redact_base()
        for wish in ("save", "replace", "resolve"):
            with self.subTest(wish):
                response = self.client.post(self.edit_url, form | {"do": wish})
                self.assertContains(response, "was redacted while you were writing", status_code=409)
                self.assertEqual(self.live(), "# Refunds\n")

    def test_but_by_somebody_who_says_to_have_read_it(self):
        response = self.client.post(self.edit_url, self.redact_base() | {"text": "# Refunds\r\nfine\r\n"})
        form = fields(response) | {"do": "replace", "checked": self.memory.head_version_id}
        self.assertRedirects(self.client.post(self.edit_url, form), self.memory_url)
        self.assertEqual(self.live(), "# Refunds\nfine\n")

    def test_a_version_that_never_was_is_no_base(self):
        form = self.opened() | {"text": "new"}
        for base in ("memver_1", "", "\0", MemoryVersion.objects.exclude(memory_id=self.memory.id).first()):
            with self.subTest(base=base):
                response = self.client.post(self.edit_url, form | {"base": base or ""})
                self.assertContains(response, "no longer kept", status_code=409)


class DeletedMeanwhile(EditCase):
    def test_the_text_is_offered_as_a_new_memory(self):
        form = self.opened() | {"text": "Mine.\r\n"}
        memories.delete_memory(actor=self.actor, store_id=self.store.id, memory_id=self.memory.id)
        response = self.client.post(self.edit_url, form)
        self.assertContains(response, "was deleted while you were writing", status_code=409)
        again = self.client.post(f"{self.store_url}memories/new/", fields(response))
        self.assertEqual(again.status_code, 302)
        self.assertEqual(Memory.objects.get(store_id=self.store.id).path, "/policies/refunds.md")

    def test_a_memory_that_never_was_is_not_found(self):
        self.assertEqual(self.get(f"{self.store_url}memories/mem_1/edit/").status_code, 404)
        self.assertEqual(
            self.client.post(f"{self.store_url}memories/mem_1/edit/", {"text": ""}).status_code, 404
        )


class ExpiredSignIn(EditCase):
    def test_keeps_the_text(self):
        form = self.opened() | {"text": "Typed for an hour.\r\n", "reason": "long"}
        self.client.logout()
        response = self.client.post(self.edit_url, form)
        self.assertContains(response, "What you typed is kept", status_code=401)
        self.assertEqual(self.count(), 1)
        sign_in = fields(response)
        wrong = self.client.post("/login/", sign_in | {"username": "ada@example.com", "password": "wrong"})
        self.assertContains(wrong, "do not go together")
        self.assertEqual(fields(wrong)["carried"], sign_in["carried"])
        kept = self.client.post(
            "/login/", fields(wrong) | {"username": "ada@example.com", "password": PASSWORD}
        )
        self.assertContains(kept, "Your text is kept")
        self.assertContains(kept, "Typed for an hour.")
        self.assertContains(kept, f'action="{self.edit_url}"')
        again = {f["name"]: f.get("value") or "" for f in Page(kept.content.decode()).all("input")}
        self.assertRedirects(self.client.post(self.edit_url, again), self.memory_url)
        self.assertEqual(self.live(), "Typed for an hour.\n")

    def test_signed_in_anew_in_another_tab_keeps_the_text(self):
        client = Client(enforce_csrf_checks=True)
        client.force_login(self.owner)
        form = fields(client.get(self.edit_url)) | {"text": "Typed."}
        client.logout()
        client.force_login(self.owner)
        client.cookies.pop("csrftoken", None)
        client.get(self.memory_url)
        ours = {"origin": "http://testserver"}
        response = client.post(self.edit_url, form, headers=ours)
        self.assertContains(response, "Your text is kept", status_code=403)
        again = {f["name"]: f.get("value") or "" for f in Page(response.content.decode()).all("input")}
        self.assertEqual(client.post(self.edit_url, again, headers=ours).status_code, 302)
        self.assertEqual(self.live(), "Typed.")

    def test_another_site_gets_nothing_shown(self):
        client = Client(enforce_csrf_checks=True)
        client.force_login(self.owner)
        for headers in ({"origin": "https://evil.example"}, {}):
            response = client.post(self.edit_url, {"text": "Evil words"}, headers=headers)
            self.assertNotContains(response, "Evil words", status_code=403)

    def test_a_button_alone_is_kept_too(self):
        self.client.logout()
        response = self.client.post(f"{self.memory_url}delete/")
        kept = self.client.post(
            "/login/", fields(response) | {"username": "ada@example.com", "password": PASSWORD}
        )
        self.assertContains(kept, f'action="{self.memory_url}delete/"')
        self.assertEqual(Memory.objects.filter(id=self.memory.id).count(), 1)


class Creating(EditCase):
    @property
    def new_url(self) -> str:
        return f"{self.store_url}memories/new/"

    def test_makes_a_memory_in_the_folder(self):
        form = self.opened(f"{self.new_url}?folder=/policies/")
        self.assertEqual(form["path"], "/policies/")
        response = self.client.post(
            self.new_url, form | {"path": "/policies/new.md", "text": "x\r\n"}, follow=True
        )
        self.assertContains(response, "Created.")
        self.assertContains(response, "/undo/")

    def test_composes_the_path_and_opens_the_existing_memory(self):
        cafe = make_memory(actor=self.actor, store=self.store, path="/notes/caf\u00e9.md", content="there")
        self.client.force_login(self.owner)
        form = {"path": "notes/cafe\u0301.md", "text": ""}
        self.assertRedirects(self.client.post(self.new_url, form), f"{self.store_url}memories/{cafe.id}/")
        response = self.client.post(self.new_url, form | {"text": "my words"})
        self.assertContains(response, f"/memories/{cafe.id}/", status_code=409)
        self.assertEqual(fields(response)["text"], "my words")
        self.assertEqual(Memory.objects.filter(path__contains="caf").count(), 1)

    def test_names_what_is_in_the_way(self):
        self.client.force_login(self.owner)
        for path in ("/policies/refunds.md/x", "/policies", "/policies/refunds.md"):
            with self.subTest(path):
                response = self.client.post(self.new_url, {"path": path, "text": "kept"})
                self.assertContains(response, self.memory_url, status_code=409)
                self.assertEqual(fields(response)["text"], "kept")

    def test_hints_at_a_path_that_looks_the_same(self):
        other = make_memory(actor=self.actor, store=self.store, path="/Site Roadmap.md")
        self.client.force_login(self.owner)
        response = self.client.post(self.new_url, {"path": "/site-roadmap.md", "text": ""}, follow=True)
        self.assertContains(response, "looks nearly the same")
        self.assertContains(response, f"/memories/{other.id}/")

    def test_a_double_click_makes_one_memory(self):
        self.client.force_login(self.owner)
        form = {"path": "/twice.md", "text": "once"}
        first, second = self.client.post(self.new_url, form), self.client.post(self.new_url, form)
        self.assertEqual((first.status_code, first["Location"]), (second.status_code, second["Location"]))

    def test_a_path_that_is_none_comes_back(self):
        self.client.force_login(self.owner)
        for path in ("", "/", "//", "/a/../b", "/x\u202e", "/" + "x" * 1025, "/\0"):
            with self.subTest(path):
                response = self.client.post(self.new_url, {"path": path, "text": "kept"})
                self.assertEqual(response.status_code, 400)
                self.assertEqual(fields(response)["text"], "kept")


class Rights(EditCase):
    def test_who_may_only_read_is_offered_nothing_and_refused(self):
        page = self.page(self.memory_url, user=self.colleague)
        self.assertEqual(
            [f for f in page.all("form") if "/stores/" in (f.get("action") or "") and f["method"] != "get"],
            [],
        )
        self.assertEqual([link for link in page.links() if link.endswith(("/edit/", "/move/"))], [])
        version_id = self.memory.head_version_id
        version = f"{self.store_url}versions/{version_id}/"
        for url in (
            self.edit_url,
            f"{self.memory_url}move/",
            f"{self.store_url}memories/new/",
            f"{version}restore/",
        ):
            with self.subTest(url):
                self.assertEqual(self.get(url, user=self.colleague).status_code, 403)
                self.assertEqual(self.client.post(url, {"text": "x", "path": "/x"}).status_code, 403)
        for url in (f"{self.memory_url}delete/", f"{version}undo/"):
            self.assertEqual(self.client.post(url).status_code, 403)
        self.assertEqual(self.count(), 1)

    def test_strangers_find_nothing(self):
        for url in (self.edit_url, f"{self.memory_url}move/", f"{self.store_url}memories/new/"):
            self.assertEqual(self.get(url, user=self.stranger).status_code, 404)
            self.assertEqual(self.client.post(url, {"text": "x", "path": "/x"}).status_code, 404)

    def test_an_editor_writes(self):
        editor = make_user(name="Edda")
        make_member(workspace=self.workspace, user=editor, role=Role.EDITOR)
        self.assertEqual(self.get(self.edit_url, user=editor).status_code, 200)
        response = self.client.post(
            self.edit_url, fields(self.client.get(self.edit_url)) | {"text": ""}, follow=True
        )
        self.assertContains(response, "Saved as v2.")
        self.assertNotContains(response, "Redact")


class Queries(EditCase):
    def test_are_fixed(self):
        self.client.force_login(self.owner)
        for url, queries in (
            (self.edit_url, 5),
            (f"{self.store_url}memories/new/", 4),
            (f"{self.memory_url}move/", 5),
        ):
            with self.subTest(url), self.assertNumQueries(queries):
                self.client.get(url)

    def test_saving(self):
        form = self.opened() | {"text": "new"}
        versions.get_version(actor=self.actor, store_id=self.store.id, version_id=form["base"])
        with self.assertNumQueries(7 if connection.vendor == "postgresql" else 12):
            self.client.post(self.edit_url, form)
