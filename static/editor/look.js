// The editor in the colours of static/css/tokens.css, which reach into its shadow root as custom properties:
// light and dark come with them, and colour never carries what a word or a glyph does not.

import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export const colours = HighlightStyle.define([
  { tag: tags.heading, fontWeight: "700", color: "var(--accent)" },
  { tag: tags.strong, fontWeight: "700" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: [tags.link, tags.url, tags.propertyName], color: "var(--accent)" },
  { tag: [tags.monospace, tags.quote], color: "var(--soft)" },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.labelName], color: "var(--dim)" },
  { tag: [tags.punctuation, tags.meta], color: "var(--dim)" },
  { tag: tags.comment, color: "var(--dim)", fontStyle: "italic" },
]);

export const look = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", fontVariantLigatures: "none" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { font: "var(--code)", scrollbarColor: "var(--line-2) transparent" },
  ".cm-content": { padding: "var(--s2) 0", caretColor: "var(--text)" },
  ".cm-line": { padding: "0 var(--s3) 0 var(--s2)", unicodeBidi: "plaintext" },
  "& ::selection": { background: "color-mix(in oklab, var(--focus) 28%, transparent)" },
  ".cm-gutters": {
    background: "var(--well)",
    color: "var(--dim)",
    borderRight: "var(--hair)",
    fontSize: "var(--t-11)",
    userSelect: "none",
  },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "2.25rem", padding: "0 var(--s2)" },
  ".cm-activeLineGutter": { background: "var(--hover)", color: "var(--text)" },
  ".cm-hid": {
    display: "inline-block",
    paddingInline: ".1875rem",
    marginInline: "1px",
    border: "1px solid",
    borderRadius: "2px",
    background: "var(--hid-bg)",
    color: "var(--hid)",
    font: "600 .625rem/.8125rem var(--sans)",
    letterSpacing: ".02em",
    verticalAlign: ".0625rem",
    whiteSpace: "nowrap",
  },
  ".cm-searchMatch": { background: "var(--target)", boxShadow: "0 1px 0 var(--warn-line)" },
  ".cm-searchMatch-selected": { background: "var(--tint-2)", boxShadow: "0 2px 0 var(--accent)" },
  ".cm-panels": { background: "var(--well)", color: "var(--text)" },
  ".cm-panels-top": { borderBottom: "var(--hair)" },
  ".cm-panel": { font: "var(--t-12)/var(--lh) var(--sans)" },
  ".cm-panel.cm-search": {
    display: "flex",
    flexWrap: "wrap",
    alignItems: "center",
    gap: "var(--s1) var(--s2)",
    padding: "var(--s2) calc(var(--s8) + var(--s2)) var(--s2) var(--s2)",
    "& input, & button, & label": { margin: "0" },
    "& br": { display: "block", flexBasis: "100%", content: "''" },
    "& label": { display: "inline-flex", alignItems: "center", gap: "var(--s1)", fontSize: "inherit" },
    // It selects many places at once, which one caret cannot show.
    "& [name=select]": { display: "none" },
    "& [name=close]": {
      top: "var(--s2)",
      right: "var(--s2)",
      width: "var(--ctl)",
      height: "var(--ctl)",
      color: "var(--soft)",
      fontSize: "var(--t-15)",
      cursor: "pointer",
    },
  },
  ".cm-panel.cm-gotoLine": { padding: "var(--s2)" },
  ".cm-textfield, .cm-button": {
    minHeight: "var(--ctl)",
    padding: "0 var(--s2)",
    border: "1px solid var(--edge)",
    borderRadius: "var(--r2)",
    background: "var(--card)",
    color: "var(--text)",
    font: "inherit",
    fontSize: "inherit",
    verticalAlign: "middle",
  },
  ".cm-textfield::placeholder": { color: "var(--dim)", opacity: "1" },
  ".cm-button": {
    border: "var(--rule)",
    background: "var(--raised)",
    backgroundImage: "none",
    cursor: "pointer",
  },
  ".cm-button:hover": { background: "var(--hover)", borderColor: "var(--edge)" },
  "& :is(input, button):focus-visible": { outline: "2px solid var(--focus)", outlineOffset: "1px" },
  "@media (pointer: coarse)": { "& .cm-textfield": { fontSize: "1rem" } },
});
