// The editor that stands in for the textarea of a text. `make editor` bundles it, with the versions that the
// lock file names, into static/vendor/editor.js; that is committed too, so that running the console needs no
// Node. static/js/editor.js loads it. To change a version: edit package.json, `npm install
// --package-lock-only` here, `make editor`.
//
// The textarea stays in the form and holds what is sent. CodeMirror splits lines at LF, CR and CRLF and joins
// them with LF; a textarea's value has LF only, so text that went through both is what it was, and nothing is
// written back before something was changed.

import { defaultKeymap, history, historyKeymap, insertNewlineKeepIndent } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { markdownLanguage } from "@codemirror/lang-markdown";
import { yaml } from "@codemirror/lang-yaml";
import { syntaxHighlighting } from "@codemirror/language";
import { search, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorState } from "@codemirror/state";
import {
  EditorView,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { hiddenCharacters } from "./hidden.js";
import { colours, look } from "./look.js";

const KEYS =
  "Tab leaves this field. Control and the square brackets indent, Control F searches in the text. On a Mac " +
  "it is Command instead of Control.";

const PHRASES = {
  Replace: "Replace with",
  next: "Next",
  previous: "Previous",
  "match case": "Match case",
  regexp: "Regular expression",
  "by word": "Whole words",
  replace: "Replace",
  "replace all": "Replace all",
  close: "Close the search",
};

// Marks a change that came from the textarea, and need not go back there.
const fromArea = Annotation.define();

// A paragraph of Markdown is parsed as one piece, at every key that is pressed in it. One much longer than
// any that somebody wrote is shown plain.
const LONGEST_PARAGRAPH = 10_000;
const NEW_BLOCK = /^\s*(?:$|[#>|]|(?:[-+*]|\d+[.)])\s)/;

function isQuickInMarkdown(doc) {
  let length = 0;
  for (const line of doc.iterLines()) {
    length = line.length + (NEW_BLOCK.test(line) ? 0 : length);
    if (length > LONGEST_PARAGRAPH) return false;
  }
  return true;
}

function languageOf(name, doc) {
  if (/\.(md|markdown)$/i.test(name)) return isQuickInMarkdown(doc) ? markdownLanguage : [];
  if (/\.json$/i.test(name)) return json();
  if (/\.ya?ml$/i.test(name)) return yaml();
  return [];
}

// What is changed in `before` to make `after`, without what both begin and end with: the cursor and the undo
// history then stay where they were.
function difference(before, after) {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from++;
  let end = 0;
  while (end < shorter - from && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

// The usual one re-indents, and takes blanks away that nobody has touched.
const enter = { key: "Enter", run: insertNewlineKeepIndent, shift: insertNewlineKeepIndent };

// Over what is selected Chromium itself would type in the same style, written into a style attribute, which
// the Content-Security-Policy refuses; and of several lines at once, as from dictation, it may lose an empty
// one. (What an input method composes cannot be taken over; there the refusal is all that happens.)
const typeOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== "insertText" || event.data === null || event.isComposing) return false;
    if (view.composing || (view.state.selection.main.empty && !event.data.includes("\n"))) return false;
    const change = view.state.replaceSelection(view.state.toText(event.data));
    view.dispatch(change, { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

// Puts an editor in the place of `area`; answers what takes it away again.
export function mount(area) {
  const [label] = area.labels;
  const pathField = area.form.querySelector('[name="path"]');
  const language = new Compartment();
  const name = () => (pathField ? pathField.value : area.dataset.name);
  const chosen = (doc) => language.reconfigure(languageOf(name(), doc));

  const host = document.createElement("div");
  host.className = "editor";
  // The keys of the page see the host in the place of the field inside, and must know that somebody types.
  host.setAttribute("contenteditable", "false");
  // In a shadow root CodeMirror adopts its style sheets; elsewhere it would write <style> elements, which the
  // Content-Security-Policy refuses.
  const root = host.attachShadow({ mode: "open" });
  const keys = document.createElement("p");
  keys.id = "keys";
  keys.hidden = true;
  keys.textContent = KEYS;

  function writeBack(update) {
    if (!update.docChanged || update.transactions.every((each) => each.annotation(fromArea))) return;
    area.value = update.state.doc.toString();
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }

  function withLanguage(transaction) {
    let isLarge = false;
    transaction.changes.iterChanges((_from, _to, _start, _end, text) => {
      isLarge ||= text.length > LONGEST_PARAGRAPH / 10;
    });
    return isLarge ? { effects: chosen(transaction.newDoc) } : null;
  }

  // It can be tabbed to without that, but not every checker counts what is editable.
  const attributes = { "aria-describedby": keys.id, tabindex: "0" };
  if (label) attributes["aria-label"] = label.textContent;
  if (area.getAttribute("aria-invalid")) attributes["aria-invalid"] = area.getAttribute("aria-invalid");

  const state = EditorState.create({
    doc: area.value,
    selection: { anchor: area.selectionStart, head: area.selectionEnd },
    extensions: [
      lineNumbers(),
      highlightActiveLineGutter(),
      hiddenCharacters,
      history(),
      EditorView.lineWrapping,
      EditorView.perLineTextDirection.of(true),
      EditorState.tabSize.of(4),
      EditorView.contentAttributes.of(attributes),
      language.of([]),
      EditorState.transactionExtender.of(withLanguage),
      syntaxHighlighting(colours),
      EditorState.phrases.of(PHRASES),
      search({ top: true, literal: true }),
      // Tab is not among them: it leads out of the field as everywhere.
      keymap.of([enter, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
      typeOver,
      EditorView.updateListener.of(writeBack),
      look,
    ],
  });

  const hadFocus = area.getRootNode().activeElement === area;
  const view = new EditorView({ state, root });
  root.append(keys, view.dom);
  area.after(host);
  area.hidden = true;

  function readArea() {
    const before = view.state.doc.toString();
    if (before === area.value) return;
    view.dispatch({ changes: difference(before, area.value), annotations: fromArea.of(true) });
  }
  function chooseLanguage() {
    view.dispatch({ effects: chosen(view.state.doc) });
  }
  chooseLanguage();
  // Typing in the editor, or in its search, is not yet a change of the form; writeBack tells of those.
  host.addEventListener("input", (event) => event.stopPropagation());
  area.addEventListener("input", readArea);
  if (pathField) pathField.addEventListener("change", chooseLanguage);
  // Whoever gives the textarea the focus, a script or a click on the label, means the text.
  area.focus = () => view.focus();
  if (label) {
    label.addEventListener("click", area.focus);
    label.removeAttribute("for");
  }
  if (hadFocus) view.focus();

  return () => {
    if (pathField) pathField.removeEventListener("change", chooseLanguage);
    view.destroy();
  };
}
