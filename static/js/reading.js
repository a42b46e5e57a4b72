// Keys while reading: n and p go to the next and previous change of a diff; a letter follows what is marked
// with data-key (/ goes into a field). Without script the links are there all the same.
(() => {
  "use strict";
  const TYPING = "input, textarea, select, [contenteditable]";

  function prepare() {
    for (const hint of document.querySelectorAll("[data-with-script][hidden]")) hint.hidden = false;
  }

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

  // Of the versions in a history two can be ticked; the third tick takes the place of the oldest one.
  const ticked = [];
  function tick(box) {
    if (box.checked) ticked.push(box);
    const still = ticked.filter((each) => each.checked && each.isConnected);
    while (still.length > 2) still.shift().checked = false;
    ticked.splice(0, ticked.length, ...still);
    const numbers = still.map((each) => Number(each.dataset.seq)).sort((a, b) => a - b);
    const words = ["Compare two", "Compare with the newest", "Compare"][numbers.length];
    const button = document.querySelector("[data-compare]");
    button.lastElementChild.textContent =
      numbers.length === 2 ? `${words} v${numbers[0]} with v${numbers[1]}` : words;
    button.classList.toggle("btn--main", numbers.length > 0);
  }
  document.addEventListener("change", (event) => {
    const box = event.target.closest("[data-ticks] input[name=v]");
    if (box) tick(box);
  });

  function say(words) {
    document.getElementById("announce").textContent = words;
  }

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest(TYPING) || document.querySelector("dialog[open]")) return;
    if ((event.key === "n" || event.key === "p") && goToChange(event.key === "n" ? 1 : -1)) {
      event.preventDefault();
      return;
    }
    const marked = [...document.querySelectorAll("[data-key]")].find((e) => e.dataset.key === event.key);
    if (!marked) return;
    event.preventDefault();
    if (marked.matches(TYPING)) {
      marked.focus();
      marked.select?.();
    } else marked.click();
  });
  document.addEventListener("DOMContentLoaded", prepare);
  document.addEventListener("htmx:load", prepare);
})();
