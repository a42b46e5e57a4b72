// All keys but those of fields and menus: one handler, one table. A key that is in the table does what stands
// there; any other follows what is marked with it on the page (data-key, "g s" for two strokes), so that there
// is no key without a link, a button or a field for the same, and none for what a person may not do.
(() => {
  "use strict";
  const SECOND_STROKE_MS = 1500;
  const ROWS = "#main :is(table[data-rows] > tbody > tr, :is(ol, ul)[data-rows] > li)";
  const NO_TEXT = "[type=checkbox], [type=radio], [type=button], [type=submit], [type=reset]";
  const SWITCH = "keys";
  const isMac = /Mac|iP/.test(navigator.platform);

  // Each answers whether there was anything to do.
  const TABLE = {
    j: () => goToRow(1),
    k: () => goToRow(-1),
    x: tickRow,
    n: () => goToChange(1),
    p: () => goToChange(-1),
  };

  let begun = "";
  let waiting = 0;

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    if (isCommand(event)) {
      // Also while typing: it leads away from a field without the mouse.
      if (event.key.toLowerCase() !== "k" || event.shiftKey) return;
      event.preventDefault();
      document.querySelector("[data-open-palette]")?.click();
      return;
    }
    if (event.ctrlKey || event.metaKey || ["Shift", "CapsLock"].includes(event.key)) return;
    const first = begun;
    begin("");
    // The path leads into an editor's shadow root too, where the target alone would be its host.
    if (event.key === "Escape" || isTyping(event.composedPath()[0])) return;
    if (document.querySelector("dialog[open]") || isOff()) return;
    const typed = first ? `${first} ${event.key}` : event.key;
    if (press(typed, event.repeat)) event.preventDefault();
    else if (marked((key) => key.startsWith(`${typed} `))) begin(typed);
  });

  function isCommand(event) {
    return isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  }
  function isTyping(element) {
    if (!(element instanceof Element)) return false;
    return element.isContentEditable || (element.matches("input, textarea, select") && !element.matches(NO_TEXT));
  }
  function begin(stroke) {
    begun = stroke;
    clearTimeout(waiting);
    if (stroke) waiting = setTimeout(begin, SECOND_STROKE_MS, "");
  }
  function marked(fits) {
    return [...document.querySelectorAll("[data-key]")].find((each) => fits(each.dataset.key));
  }
  function press(typed, isHeld) {
    if (Object.hasOwn(TABLE, typed) && TABLE[typed]()) return true;
    const to = marked((key) => key === typed);
    // Held down, it must not follow the same mark on page after page.
    if (!to || isHeld) return Boolean(to);
    if (isTyping(to)) {
      to.focus();
      to.select?.();
    } else to.click();
    return true;
  }

  function say(words) {
    document.getElementById("announce").textContent = words;
  }

  // The rows of lists. The focus goes to a row's first link, so that Enter needs no key of ours and a screen
  // reader reads where one is.
  const linkOf = (row) => row.querySelector("a[href]");

  function goToRow(step) {
    const rows = [...document.querySelectorAll(ROWS)].filter((row) => linkOf(row) && row.checkVisibility());
    if (!rows.length) return false;
    const here = rows.indexOf(rowHere());
    const to = rows[here < 0 ? 0 : here + step];
    if (!to) {
      say(step > 0 ? "This is the last row" : "This is the first row");
      return true;
    }
    markRow(to);
    linkOf(to).focus({ preventScroll: true });
    to.scrollIntoView({ block: "nearest" });
    return true;
  }
  function rowHere() {
    return document.activeElement?.closest(ROWS) || document.querySelector(`${ROWS}.is-here`);
  }
  function markRow(row) {
    for (const each of document.querySelectorAll(`${ROWS}.is-here`)) each.classList.toggle("is-here", each === row);
    row.classList.add("is-here");
  }
  function tickRow() {
    const box = rowHere()?.querySelector("input[type=checkbox]:not(:disabled)");
    box?.click();
    return Boolean(box);
  }
  // The tab key and the mouse take the cursor along, once there is one.
  document.addEventListener("focusin", (event) => {
    const row = event.target.closest(ROWS);
    if (row && document.querySelector(`${ROWS}.is-here`)) markRow(row);
  });

  function goToChange(step) {
    const changes = [...document.querySelectorAll("[data-diff] [data-change]")];
    if (!changes.length) return false;
    const here = document.querySelector("[data-diff] .is-here");
    const place = here ? changes.indexOf(here) + step : step > 0 ? 0 : changes.length - 1;
    const to = changes[place];
    if (!to) {
      const away = document.querySelector(step > 0 ? "[data-rows-after]" : "[data-rows-before]");
      if (away) away.click();
      else say(step > 0 ? "This is the last change" : "This is the first change");
      return true;
    }
    if (here) here.classList.remove("is-here");
    to.classList.add("is-here");
    to.focus({ preventScroll: true });
    to.scrollIntoView({ block: "center" });
    say(`Change ${to.dataset.change}`);
    return true;
  }

  // The list of keys: the server's own, without what does nothing on this page.
  const dialog = document.getElementById("keys");
  let list = null;

  async function openList() {
    const box = dialog.querySelector("[data-from]");
    try {
      list ??= await fetchList(box.dataset.from);
    } catch {
      location.assign(box.dataset.from);
      return;
    }
    box.replaceChildren(list.cloneNode(true));
    for (const row of box.querySelectorAll("[data-when]")) {
      if (!document.querySelector(row.dataset.when)) row.remove();
    }
    for (const group of box.querySelectorAll("section")) if (!group.querySelector("dt")) group.remove();
    prepare();
    if (!dialog.open) dialog.showModal();
  }
  async function fetchList(address) {
    const response = await fetch(address, { headers: { "HX-Request": "true" } });
    if (!response.ok || response.headers.has("HX-Redirect")) throw new Error("no list");
    const holder = document.createElement("template");
    holder.innerHTML = await response.text();
    return holder.content;
  }
  document.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
    const link = event.target.closest("[data-key='?']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    openList();
  });

  // Whoever speaks to the computer can switch the single keys off: a word would press a row of them.
  function isOff() {
    try {
      return localStorage.getItem(SWITCH) === "off";
    } catch {
      return false;
    }
  }
  document.addEventListener("change", (event) => {
    if (!event.target.matches("[data-keys-switch]")) return;
    try {
      localStorage.setItem(SWITCH, event.target.checked ? "on" : "off");
    } catch {
      // Forbidden in this browser: they stay on.
      event.target.checked = true;
    }
    prepare();
  });

  // What a key follows says so, in the words of a browser and of a screen reader; only here, for without
  // script there is no key.
  function prepare() {
    const off = isOff();
    for (const element of document.querySelectorAll("[data-key]")) {
      const strokes = element.dataset.key.split(" ");
      // The attribute knows no sequences.
      if (strokes.length === 1 && !off) element.setAttribute("aria-keyshortcuts", strokes[0]);
      else element.removeAttribute("aria-keyshortcuts");
      if (off) element.removeAttribute("title");
      else element.title = `${strokes.length === 1 ? "Key" : "Keys"}: ${strokes.join(" then ")}`;
    }
    const palette = document.querySelector("[data-open-palette]");
    palette?.setAttribute("aria-keyshortcuts", isMac ? "Meta+K" : "Control+K");
    if (isMac) for (const cap of document.querySelectorAll("[data-mod]")) cap.textContent = "⌘";
    for (const box of document.querySelectorAll("[data-keys-switch]")) box.checked = !off;
    for (const hint of document.querySelectorAll("[data-with-script][hidden]")) hint.hidden = false;
  }
  document.addEventListener("DOMContentLoaded", prepare);
  document.addEventListener("htmx:load", prepare);
})();
