"""Writing in a real browser: nothing that somebody typed is lost, with script and without."""

import re

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from stores.domain import memories, redaction
from stores.domain.actors import member_actor
from stores.models import Membership, Memory, MemoryVersion, Role
from tests.browser.conftest import PASSWORD
from tests.browser.editing import editor, text_field, text_value, write_text
from tests.browser.test_accessibility import faults
from tests.console import hostile
from tests.factories import make_api_key, make_member, make_memory, make_user

pytestmark = pytest.mark.browser

with_and_without_script = pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])


def actor_of(console):
    return member_actor(membership=Membership.objects.get(user=console.user))


def click(page: Page, name: str) -> None:
    page.locator("#main").get_by_role("button", name=name, exact=True).first.click()
    page.wait_for_load_state()


def live(memory) -> str:
    return MemoryVersion.objects.get(id=Memory.objects.get(id=memory.id).head_version_id).content or ""


@with_and_without_script
def test_edits_and_takes_it_back(open_page, console, script):
    page = open_page(script=script)
    page.goto(console.refunds_path)
    page.get_by_role("link", name="Edit", exact=True).click()
    write_text(page, "# Refunds\n\n- 14 days.\n")
    page.get_by_label("Reason").fill("Shorter")
    click(page, "Diff before saving")
    expect(page.locator("ins").first).to_have_text("14")
    click(page, "Save")
    expect(page.locator(".toast")).to_contain_text("Saved as v4.")
    assert live(console.refunds) == "# Refunds\n\n- 14 days.\n"
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("Undone.")
    assert "- 30 days." in live(console.refunds)


TEXTS = [
    *hostile.TEXTS.values(),
    "\nleading",
    "\n\n\n",
    "\r\n",
    "a\r\nb\rc\nd",
    "blanks \t \n\n  ",
    "\x0b\x0c\x85\u2028\u2029x",
    "\ufeffmark\u202e \x1b\x7f\n\U0001f600\U000e0041 ",
]


@with_and_without_script
def test_saving_unchanged_text_of_any_kind_makes_no_version(open_page, console, script):
    made = [
        make_memory(actor=actor_of(console), store=console.store, path=f"/kinds/{n}", content=text)
        for n, text in enumerate(TEXTS)
    ]
    page = open_page(script=script)
    for memory in made:
        page.goto(f"{console.store_path}memories/{memory.id}/edit/")
        if script:
            editor(page)
        click(page, "Save")
        page.wait_for_url(re.compile(r"/memories/mem_\w+/$"))
        expect(page.locator(".toast")).to_contain_text("Nothing was changed")
    seqs = Memory.objects.filter(path__startswith="/kinds/").values_list("head_seq", flat=True)
    assert set(seqs) == {1}
    assert len(seqs) == len(TEXTS)


def test_a_changed_line_leaves_all_others_byte_for_byte(open_page, console):
    before = "\none\r\ntwo\nthree\r\n\tfour "
    memory = make_memory(actor=actor_of(console), store=console.store, path="/mixed", content=before)
    page = open_page()
    page.goto(f"{console.store_path}memories/{memory.id}/edit/")
    write_text(page, text_value(page).input_value().replace("two", "2"))
    click(page, "Save")
    expect(page.locator(".toast")).to_be_visible()
    assert live(memory) == before.replace("two", "2")


def test_counts_bytes_and_keeps_a_draft_until_it_is_saved(open_page, console):
    page = open_page()
    edit = f"{console.refunds_path}edit/"
    page.goto(edit)
    write_text(page, "caf\u00e9\n")
    expect(page.locator("#text-size")).to_have_text("6 B")
    page.goto("/stores/")
    page.goto(edit)
    expect(page.get_by_text("holds a draft of yours")).to_be_visible()
    page.get_by_role("button", name="Take it up again").click()
    expect(text_value(page)).to_have_value("caf\u00e9\n")
    page.keyboard.press("ControlOrMeta+s")
    expect(page.locator(".toast")).to_contain_text("Saved as v4.")
    page.goto(edit)
    expect(page.get_by_text("holds a draft of yours")).to_have_count(0)
    assert page.evaluate("Object.keys(localStorage).filter((k) => k.startsWith('draft'))") == []


def test_a_draft_made_from_an_older_version_meets_the_newer_one(open_page, console):
    page = open_page()
    edit = f"{console.refunds_path}edit/"
    page.goto(edit)
    editor(page).press("Control+End")
    text_field(page).press_sequentially("- Mine.\n")
    page.goto("/stores/")
    memories.update_memory(
        actor=actor_of(console),
        store_id=console.store.id,
        memory_id=console.refunds.id,
        content="# Refunds, all\n\n- 30 days.\n- Serial number readable.\n",
    )
    page.goto(edit)
    page.get_by_role("button", name="Take it up again").click()
    click(page, "Save")
    expect(page.locator("#main")).to_contain_text("Nothing clashes")
    click(page, "Save the result")
    expect(page.locator(".toast")).to_contain_text("Saved as v5.")
    page.complaints.clear()  # the 409
    assert live(console.refunds) == "# Refunds, all\n\n- 30 days.\n- Serial number readable.\n- Mine.\n"


def test_a_double_click_makes_one_version(open_page, console):
    page = open_page()
    page.goto(f"{console.refunds_path}edit/")
    write_text(page, "Once.\n")
    page.locator("#main").get_by_role("button", name="Save", exact=True).dblclick()
    expect(page.locator(".toast").first).to_be_visible()
    assert MemoryVersion.objects.filter(memory_id=console.refunds.id).count() == 4


@with_and_without_script
def test_an_expired_sign_in_keeps_the_text(open_page, console, script):
    page = open_page(script=script)
    page.goto(f"{console.refunds_path}edit/")
    write_text(page, "Typed for an hour.\n")
    page.get_by_label("Reason").fill("long")
    page.context.clear_cookies(name="sessionid")
    click(page, "Save")
    expect(page.get_by_text("Your sign-in has expired.")).to_be_visible()
    page.get_by_label("E-mail").fill("ada@example.com")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("textarea").first).to_have_value("Typed for an hour.\n")
    page.get_by_role("button", name="Back to the editor").click()
    expect(text_value(page)).to_have_value("Typed for an hour.\n")
    expect(page.get_by_label("Reason")).to_have_value("long")
    click(page, "Save")
    expect(page.locator(".toast")).to_contain_text("Saved as v4.")
    assert live(console.refunds) == "Typed for an hour.\n"
    page.complaints.clear()  # the browser reports the 401 among them


def test_signing_in_anew_in_another_tab_keeps_the_text(open_page, console):
    page = open_page()
    page.goto(f"{console.refunds_path}edit/")
    write_text(page, "Typed.\n")
    other = page.context.new_page()
    other.goto("/stores/")
    other.get_by_text("Account: Ada Lovett").locator("xpath=..").click()
    other.get_by_role("button", name="Sign out").click()
    other.get_by_label("E-mail").fill("ada@example.com")
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Sign in").click()
    other.wait_for_url(lambda url: "/login/" not in url)
    click(page, "Save")
    expect(page.get_by_role("heading", name="Your text is kept")).to_be_visible()
    page.get_by_role("button", name="Send it now").click()
    expect(page.locator(".toast")).to_contain_text("Saved as v4.")
    page.complaints.clear()  # the 403
    assert live(console.refunds) == "Typed.\n"


@with_and_without_script
def test_two_people_and_an_agent_edit_the_same_memory_and_no_word_is_lost(
    open_page, console, browser, script
):
    """J11: the agent writes by the API; Ada and Ben have the page open since before."""
    lines = [
        "# Refunds",
        "",
        "- 30 days.",
        "- Free.",
        "- Serial readable.",
        "- Batteries: 14 days.",
        "- Ask Jun.",
    ]
    memory = make_memory(
        actor=actor_of(console), store=console.store, path="/policies/all.md", content="\n".join(lines) + "\n"
    )
    edit = f"{console.store_path}memories/{memory.id}/edit/"
    ben = make_user(email="ben@example.com", name="Ben Okri")
    make_member(workspace=console.store.workspace, user=ben, role=Role.EDITOR)
    client = Client()
    client.force_login(ben)
    ada_page, ben_page = open_page(script=script), open_page(signed_in=False, script=script)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": console.address}
    ben_page.context.add_cookies([cookie])
    for page in (ada_page, ben_page):
        page.goto(edit)

    _key, secret = make_api_key(workspace=console.store.workspace, name="agent", access="read_write")
    agents = (
        "\n".join(["# Refunds", "", "- 60 days, says the agent.", *lines[3:], "- Agent's last line."]) + "\n"
    )
    answer = ada_page.request.post(
        f"/v1/memory_stores/{console.store.id}/memories/{memory.id}",
        headers={"x-api-key": secret, "anthropic-beta": "agent-memory-2026-07-22"},
        data={
            "content": agents,
            "precondition": {"type": "content_sha256", "content_sha256": memory.content_sha256},
        },
    )
    assert answer.ok, answer.text()

    # Ada changed the same line as the agent, and one that nobody else touched.
    adas = [
        "# Refunds",
        "",
        "- 14 days, says Ada.",
        "- Free.",
        "- Serial readable, a photo will do.",
        *lines[5:],
    ]
    write_text(ada_page, "\n".join(adas) + "\n")
    click(ada_page, "Save")
    main = ada_page.locator("#main")
    expect(main).to_contain_text("1 passage needs you")
    for words in ("60 days, says the agent.", "14 days, says Ada.", "- 30 days."):
        expect(main).to_contain_text(words)
    main.get_by_text("Theirs, then yours").click()
    click(ada_page, "Save the result")
    expect(ada_page.locator(".toast")).to_contain_text("Saved as v3.")

    # Ben changed a third line: nothing clashes.
    bens = [*lines[:5], "- Batteries: 21 days, says Ben.", lines[6]]
    write_text(ben_page, "\n".join(bens) + "\n")
    click(ben_page, "Save")
    expect(ben_page.locator("#main")).to_contain_text("Nothing clashes")
    click(ben_page, "Save the result")
    expect(ben_page.locator(".toast")).to_contain_text("Saved as v4.")

    assert live(memory).splitlines() == [
        "# Refunds",
        "",
        "- 60 days, says the agent.",
        "- 14 days, says Ada.",
        "- Free.",
        "- Serial readable, a photo will do.",
        "- Batteries: 21 days, says Ben.",
        "- Ask Jun.",
        "- Agent's last line.",
    ]
    actors = MemoryVersion.objects.filter(memory_id=memory.id).order_by("seq").values_list("road", flat=True)
    assert list(actors) == ["console", "api", "console", "console"]
    for page in (ada_page, ben_page):
        page.complaints.clear()  # the 409


def test_a_stale_tab_does_not_bring_back_what_was_redacted(open_page, console):
    page = open_page()
    page.goto(f"{console.refunds_path}edit/")
    write_text(page, text_value(page).input_value() + "More.\n")
    redaction.redact_current(
        actor=actor_of(console),
        store_id=console.store.id,
        memory_id=console.refunds.id,
        cleaned_content="# Refunds\n",
    )
    click(page, "Save")
    expect(page.get_by_text("was redacted while you were writing")).to_be_visible()
    assert live(console.refunds) == "# Refunds\n"
    expect(text_value(page)).to_have_value(re.compile(r"More\.\n$"))
    page.complaints.clear()  # the 409


@with_and_without_script
def test_creates_moves_deletes_and_takes_each_back(open_page, console, script):
    page = open_page(script=script)
    page.goto(f"{console.store_path}?folder=/policies/")
    page.get_by_role("link", name="New memory").click()
    page.get_by_label("Path").fill("/policies/new.md")
    write_text(page, "\nNew.\n")
    click(page, "Create")
    expect(page.locator(".toast")).to_contain_text("Created.")
    assert MemoryVersion.objects.get(path="/policies/new.md").content == "\nNew.\n"
    page.get_by_role("link", name="Move", exact=True).click()
    page.get_by_label("New path").fill("/elsewhere/new.md")
    click(page, "Move")
    expect(page.locator("#place")).to_contain_text("elsewhere")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#place")).to_contain_text("policies")
    page.locator("#main").get_by_role("button", name="Delete").click()
    page.wait_for_url(re.compile(r"folder=%2Fpolicies%2F$"))
    expect(page.locator(".table--folder")).not_to_contain_text("new.md")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#place")).to_contain_text("new.md")


@with_and_without_script
def test_moves_many_after_a_preview_and_takes_it_back(open_page, console, script):
    page = open_page(script=script)
    page.goto(f"{console.store_path}?folder=/cases/2025-03/")
    if script:
        page.get_by_label("All on this page").check()
    else:
        for box in page.locator("td input[type=checkbox]").all():
            box.check()
    click(page, "Move …")
    page.get_by_label("Into the folder").fill("/old cases")
    click(page, "Show what happens")
    expect(page.locator("tbody tr")).to_have_count(12)
    click(page, "Move 12 memories")
    expect(page.locator(".toast")).to_contain_text("12 memories moved.")
    assert Memory.objects.filter(path__startswith="/old cases/").count() == 12
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("Undone: 12 memories.")
    assert Memory.objects.filter(path__startswith="/cases/2025-03/").count() == 12


@with_and_without_script
def test_a_double_click_deletes_many_once_and_keeps_the_undo(open_page, console, script):
    page = open_page(script=script)
    page.goto(f"{console.store_path}?folder=/cases/2025-03/")
    page.locator("td input[type=checkbox]").first.check()
    click(page, "Delete …")
    before = MemoryVersion.objects.count()
    page.get_by_role("button", name="Delete 1 memory").dblclick()
    expect(page.locator(".toast").first).to_contain_text("1 memory deleted")
    assert MemoryVersion.objects.count() == before + 1
    page.locator(".toast").first.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast").last).to_contain_text("Undone.")


@with_and_without_script
def test_back_and_forward_find_the_preview_again(open_page, console, script):
    page = open_page(script=script)
    page.goto(f"{console.store_path}?folder=/cases/2025-03/")
    click(page, "Rename folder")
    expect(page).to_have_url(re.compile("/bulk/.do=rename&folder="))
    page.get_by_label("New name of the folder").fill("/old cases/")
    click(page, "Show what happens")
    expect(page.locator("tbody tr")).to_have_count(12)
    page.goto(console.store_path)
    page.go_back()
    expect(page.get_by_role("button", name="Rename 12 memories")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Rename a folder")
    page.go_forward()
    expect(page.locator("tbody tr")).to_have_count(12)
    page.reload()
    click(page, "Rename 12 memories")
    expect(page.locator(".toast")).to_contain_text("12 memories moved.")


# In one go: Playwright's own looks and clicks wait until a page that is on its way is there.
SEND_TWICE = """async () => {
  const button = document.querySelector("#main button[data-save]");
  const bar = () => getComputedStyle(document.getElementById("busy")).opacity;
  const seen = [bar()];
  button.click();
  button.click();
  button.form.requestSubmit();
  seen.push(bar());
  await new Promise((done) => setTimeout(done, 500));
  return [...seen, bar(), button.getAttribute("aria-disabled")];
}"""


def test_waiting_for_a_form_is_seen_and_a_second_click_sends_nothing(open_page, console):
    page = open_page()
    page.goto(f"{console.refunds_path}move/")
    held = []
    page.route("**/move/", lambda route: held.append(route))
    page.get_by_label("New path").fill("/refunds.md")
    assert page.evaluate(SEND_TWICE) == ["0", "0", "1", "true"]
    assert len(held) == 1
    held[0].continue_()
    expect(page.locator(".toast")).to_contain_text("Moved.")
    expect(page.locator("#busy")).to_have_css("opacity", "0")
    assert MemoryVersion.objects.filter(memory_id=console.refunds.id).count() == 4


def test_a_form_that_was_stopped_can_be_sent_again(open_page, console):
    page = open_page()
    page.goto(f"{console.refunds_path}move/")
    held = []
    page.route("**/move/", lambda route: held.append(route))
    page.get_by_label("New path").fill("/refunds.md")
    assert page.evaluate(SEND_TWICE)[-1] == "true"
    held[0].abort("aborted")
    page.keyboard.press("Escape")
    button = page.locator("#main button[data-save]")
    expect(button).not_to_have_attribute("aria-disabled", "true")
    expect(page.locator("#busy")).to_have_css("opacity", "0")
    page.unroute("**/move/")
    button.click()
    expect(page.locator(".toast")).to_contain_text("Moved.")
    page.complaints.clear()  # the one that was stopped


def test_takes_a_value_out_wherever_it_stands_in_five_clicks(open_page, console):
    """J6 by hand."""
    ada = actor_of(console)
    leak = make_memory(actor=ada, store=console.store, path="/leak.md", content="Key: sk-live-4242\nRest.\n")
    make_memory(actor=ada, store=console.hostile_store, path="/copy.md", content="Use sk-live-4242 here.\n")
    page = open_page()
    page.goto(f"{console.store_path}memories/{leak.id}/")
    page.get_by_role("link", name="Redact", exact=True).click()
    page.get_by_label("The value, as it stands in the text").fill("sk-live-4242")
    click(page, "Look where it stands")
    expect(page.locator("#main")).to_contain_text("1 other live text")
    page.get_by_label("Reason").first.fill("rotate the key")
    click(page, "Redact what is ticked")
    expect(page.locator(".toast")).to_contain_text("2 live texts cleaned")
    assert not MemoryVersion.objects.filter(content__contains="sk-live").exists()
    assert live(leak) == "Key: [redacted]\nRest.\n"


def test_marking_text_fills_the_piece_to_redact(open_page, console):
    page = open_page()
    page.goto(f"{console.refunds_path}redact/")
    text_field(page).evaluate("(area) => { area.focus(); area.setSelectionRange(2, 9); }")
    expect(page.get_by_label("The value, as it stands in the text")).to_have_value("Refunds")


@with_and_without_script
def test_makes_changes_archives_and_deletes_a_store(open_page, console, script):
    page = open_page(script=script)
    page.goto("/stores/")
    page.get_by_role("link", name="New store").click()
    page.get_by_label("Name").fill("Plans")
    page.get_by_text("Project log with progress").click()
    click(page, "Create")
    expect(page.locator("#main")).to_contain_text("progress.md")
    page.get_by_role("link", name="Settings").click()
    page.get_by_label("Name", exact=True).fill("Big plans")
    page.get_by_label("Key 1").fill("team")
    page.get_by_label("Value 1").fill("north")
    click(page, "Save")
    expect(page.get_by_role("heading", level=1)).to_have_text("Big plans")
    page.locator("#archive-name").fill("Big plans")
    click(page, "Archive for good")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Archived")
    page.get_by_role("link", name="Settings").click()
    page.locator("#delete-name").fill("Big plans")
    click(page, "Delete for good")
    page.wait_for_url("**/stores/")
    expect(page.locator("#stores")).not_to_contain_text("Big plans")


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_pages_that_only_a_post_reaches_have_no_fault(open_page, console, width, scheme):
    # A toast that is still rising has no contrast yet.
    page = open_page(width=width, color_scheme=scheme, reduced_motion="reduce")
    found = []

    def look(name: str) -> None:
        found.extend(faults(page, name))
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append(f"{name} is wider than the window")

    page.goto(f"{console.refunds_path}edit/")
    write_text(page, "# Refunds\n\n- 14 days.\n")
    click(page, "Diff before saving")
    look("diff before saving")
    memories.update_memory(
        actor=actor_of(console),
        store_id=console.store.id,
        memory_id=console.refunds.id,
        content="# Refunds\n\n- 60 days.\n- Serial number readable.\n- More.\n",
    )
    click(page, "Save")
    look("conflict")
    page.goto(console.refunds_path)
    page.goto(f"{console.refunds_path}edit/")
    look("draft offered")
    write_text(page, "x" * 102_401)
    click(page, "Save")
    look("too long")
    page.goto(f"{console.store_path}?folder=/cases/2025-03/")
    page.get_by_label("All on this page").check()
    click(page, "Move …")
    look("move")
    page.get_by_label("Into the folder").fill("/old")
    click(page, "Show what happens")
    look("move shown")
    click(page, "Move 12 memories")
    look("toast with undo")
    page.goto(f"{console.refunds_path}redact/")
    page.get_by_label("The value, as it stands in the text").fill("Refunds")
    click(page, "Look where it stands")
    look("redact everywhere")
    page.context.clear_cookies(name="sessionid")
    page.get_by_label("Reason").first.fill("x")
    click(page, "Redact what is ticked")
    look("signed out")
    page.get_by_label("E-mail").fill("ada@example.com")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    look("carried")
    page.complaints.clear()  # 400, 401 and 409
    assert found == []


@with_and_without_script
def test_restores_what_was_before_with_a_reason_and_takes_that_back(open_page, console, script):
    """J2 from the memory on: five clicks, and one for the undo."""
    agents = memories.update_memory(
        actor=actor_of(console),
        store_id=console.store.id,
        memory_id=console.refunds.id,
        content="- 90 days.\n",
    )
    page = open_page(script=script)
    page.goto(console.refunds_path)
    page.get_by_role("navigation", name="Memory").get_by_role("link", name="History").click()
    page.wait_for_url("**/history/")
    page.locator("tbody").get_by_role("link", name="v3", exact=True).click()
    page.get_by_label("Reason").fill("It is 30 days")
    click(page, "Restore v3")
    expect(page.locator(".toast")).to_contain_text("v5 is a restore of v3")
    assert "- 30 days." in live(console.refunds)
    assert MemoryVersion.objects.get(memory_id=console.refunds.id, seq=5).reason == "It is 30 days"
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("Undone.")
    assert live(console.refunds) == agents.content
