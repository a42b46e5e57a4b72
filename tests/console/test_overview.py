"""The start page."""

from datetime import UTC, date, datetime, timedelta

from django.test import SimpleTestCase, override_settings

from stores.console import visits
from stores.console.charts import nice_top, writes_per_day
from stores.console.views.home import count_writes, joined, written_since
from stores.domain.actors import session_actor
from stores.domain.versions import redact_version
from tests.console import hostile
from tests.console.cases import ConsoleTestCase
from tests.factories import make_actor, make_memory, make_store, make_version


class Overview(ConsoleTestCase):
    def test_shows_stores_writes_and_changes(self):
        page = self.page("/")
        for words in ("Support", "What we know", "The last seven days", "1 write by 1 person.", "1 memories",
                      "/policies/refunds.md", "created in Support", "Writes per day"):  # fmt: skip
            with self.subTest(words):
                self.assertIn(words, page.text)
        self.assertIn(f"{self.store_url}diff/?to={self.memory.head_version_id}", page.links())

    def test_puts_the_stores_first_that_were_written_last(self):
        make_store(actor=self.actor, name="Never written")
        for number in range(9):
            make_memory(actor=self.actor, store=make_store(actor=self.actor, name=f"Store {number}"))
        make_version(actor=self.actor, memory=self.memory, content="x\n")
        page = self.page("/")
        self.assertLess(page.text.index("SupportWhat we know"), page.text.index("Store 8"))
        self.assertNotIn("Store 0", page.text[: page.text.index("Writes per day")])
        self.assertNotIn("Never written", page.text)

    def test_leads_to_the_stores_where_there_is_none(self):
        self.assertRedirects(self.get("/", user=self.stranger), "/stores/")

    def test_says_the_picture_in_words_and_numbers(self):
        page = self.page("/")
        [picture] = [svg for svg in page.all("svg") if svg.get("role") == "img"]
        self.assertIn("1 in all.", picture["aria-label"])
        self.assertEqual(len([r for r in page.all("rect") if r["class"] == "b-person" and "x" in r]), 1)
        self.assertIn(f"{datetime.now(UTC):%A} {datetime.now(UTC).day}", page.text)

    def test_shows_nothing_of_other_workspaces(self):
        theirs = make_memory(actor=self.actor, store=self.store, path="/others.md")
        self.assertIn(theirs.path[1:], self.page("/").text)
        make_store(name="Their store")
        self.assertNotIn("Their store", self.page("/").text)

    def test_shows_nothing_redacted(self):
        make_version(actor=self.actor, memory=self.memory, content="New\n", reason="Fine")
        redact_version(actor=self.actor, store_id=self.store.id, version_id=self.memory.head_version_id)
        page = self.page("/")
        self.assertIn("path redacted", page.text)
        self.assertNotIn("30 days", page.html)

    def test_shows_names_paths_and_reasons_as_text(self):
        bad = make_store(actor=self.actor, name=hostile.NAME, description=hostile.NAME)
        hostile.make_hostile_memories(actor=self.actor, store=bad)
        page = self.page("/")
        self.assertEqual(page.inline_code(), [])
        self.assertEqual(page.all("img"), [])
        self.assertNotIn("\u202e", page.html)
        self.assertNotIn("{{ 14 }}", page.text)

    def test_takes_the_same_queries_for_few_and_many(self):
        self.client.force_login(self.owner)
        for number in range(12):
            make_version(actor=self.actor, memory=self.memory, content=f"few {number}\n")
        with self.assertNumQueries(13):
            self.client.get("/")
        for number in range(20):
            make_store(actor=self.actor)
            make_version(actor=self.actor, memory=self.memory, content=f"{number}\n")
        with self.assertNumQueries(13):
            self.client.get("/")


class Navigation(ConsoleTestCase):
    def test_marks_the_entry_that_a_page_belongs_to(self):
        for path, entry in (
            ("/", "/"),
            ("/stores/", "/stores/"),
            (self.store_url, "/stores/"),
            ("/activity/", "/activity/"),
            ("/activity/undo/?actor=sesn_nobody", "/activity/"),
            ("/search/?q=x", "/search/"),
            ("/connect/", "/connect/"),
        ):
            with self.subTest(path):
                marked = [a["href"] for a in self.page(path).all("a") if a.get("aria-current") == "page"]
                self.assertEqual(marked[0], entry)


class Visits(ConsoleTestCase):
    def come(self, left: str, seen: str):
        self.client.cookies[visits.COOKIE] = f"{self.owner.id}.{left}.{seen}"
        return self.get("/").content.decode()

    def ago(self, **time: float) -> str:
        return str(int((datetime.now(UTC) - timedelta(**time)).timestamp()))

    def test_that_are_over_count_from_their_end(self):
        self.assertIn("Since you left", self.come("", self.ago(hours=3)))
        self.assertIn("3 h ago", self.come(self.ago(days=2), self.ago(hours=3)))

    def test_that_go_on_count_from_the_one_before(self):
        self.assertIn("5 h ago", self.come(self.ago(hours=5), self.ago(minutes=2)))
        self.assertIn("The last seven days", self.come("", self.ago(minutes=2)))

    def test_of_somebody_else_or_not_well_formed_count_for_nothing(self):
        for value in ("", "x", f"user_other..{self.ago(hours=3)}", f"{self.owner.id}.9."):
            self.client.cookies[visits.COOKIE] = value
            with self.subTest(value):
                self.assertIn("The last seven days", self.get("/").content.decode())
        self.assertIn("The last seven days", self.come("99999999999", "99999999999"))

    def test_are_kept_out_of_reach_of_scripts(self):
        cookie = self.get("/").cookies[visits.COOKIE]
        self.assertTrue(cookie["httponly"])
        self.assertTrue(cookie.value.startswith(self.owner.id))


class Counting(ConsoleTestCase):
    def write(self, moment: datetime) -> None:
        agent = session_actor(session_id="sesn_01" + "k" * 22, label="", workspace_id=self.workspace.id)
        make_memory(actor=agent, store=self.store, now=moment)

    @override_settings(TIME_ZONE="Europe/Berlin")
    def test_goes_by_the_days_of_the_zone_that_is_shown(self):
        days = [date(2027, 3, 27), date(2027, 3, 28), date(2027, 3, 29)]
        # The clocks go forward on the 28th, which begins an hour before UTC's day and ends two before.
        for moment in (
            "2027-03-27T22:59:59",
            "2027-03-27T23:00:00",
            "2027-03-28T21:59:59",
            "2027-03-28T22:00:00",
            "2027-03-29T22:00:00",
        ):
            self.write(datetime.fromisoformat(moment).replace(tzinfo=UTC))
        counts = count_writes(self.actor, days)
        self.assertEqual([counts.get((day, "session_actor"), 0) for day in days], [1, 2, 1])

    def test_counts_writes_and_who_wrote_in_all_stores(self):
        other = make_store(actor=self.actor, name="Other")
        agents = [
            session_actor(session_id="sesn_01" + sign * 22, label="", workspace_id=self.workspace.id)
            for sign in "ab"
        ]
        for moment, agent, store in (
            (datetime(2027, 3, 1, tzinfo=UTC), agents[0], self.store),
            (datetime(2027, 3, 2, tzinfo=UTC), agents[0], other),
            (datetime(2027, 3, 2, tzinfo=UTC), agents[1], other),
            (datetime(2027, 3, 2, 23, 59, 59, tzinfo=UTC), self.actor, self.store),
        ):
            make_memory(actor=agent, store=store, now=moment)
        days = [date(2027, 3, 1), date(2027, 3, 2)]
        self.assertEqual(
            count_writes(self.actor, days),
            {(days[0], "session_actor"): 1, (days[1], "session_actor"): 2, (days[1], "user_actor"): 1},
        )
        written = written_since(self.actor, datetime(2027, 3, 2, tzinfo=UTC))
        self.assertEqual((written["count"], written["by"]), ("3 writes", "2 sessions and 1 person"))
        theirs = make_store()
        self.assertEqual(count_writes(make_actor(workspace=theirs.workspace), days), {})


class Charts(SimpleTestCase):
    def test_end_at_a_round_number_above_the_most(self):
        for most, top in (
            (0, 2),
            (1, 2),
            (3, 4),
            (5, 6),
            (9, 10),
            (10, 10),
            (11, 20),
            (35, 40),
            (794, 800),
            (801, 1000),
        ):
            with self.subTest(most):
                self.assertEqual(nice_top(most), top)

    def test_of_nothing_are_empty_and_say_so(self):
        chart = writes_per_day([date(2026, 3, 2)], {})
        self.assertEqual((chart["bars"], chart["summary"]), ([], "No writes in the last 1 days."))

    def test_stack_the_kinds_of_actors_without_passing_the_top(self):
        day = date(2026, 3, 2)
        chart = writes_per_day(
            [day], {(day, "session_actor"): 5, (day, "api_actor"): 3, (day, "user_actor"): 2}
        )
        tops = [float(bar["y"]) for bar in chart["bars"]]
        self.assertEqual(tops, [70.0, 40.0, 20.0])
        self.assertEqual(chart["rows"][0]["parts"], ["5", "3", "2"])

    def test_words_are_joined_as_people_say_them(self):
        self.assertEqual(
            [joined(["a"]), joined(["a", "b"]), joined(["a", "b", "c"])], ["a", "a and b", "a, b and c"]
        )
