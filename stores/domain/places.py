"""Every place where memory text can lie (decisions.md, 9; pure). Whoever adds a place adds it here.

Redact-everywhere, erasure and the tests go by this list. A path is text too: it may name a person.
"""

# table.column
COLUMNS = {
    "stores_memory.path": "the live path",
    "stores_memoryversion.path": "the path then",
    "stores_memoryversion.content": "the text then; the only copy of any text",
    "stores_memoryversion.masked_path": "what is left of the path after the redaction of a span",
    "stores_memoryversion.masked_content": "what is left of the text after the redaction of a span",
    # Written by hand beside the text, and as likely to quote it.
    "stores_memoryversion.reason": "why it was changed",
    "stores_memoryversion.redacted_reason": "why it was redacted",
}
# Not in the models, because no ORM field describes them: words without their order on PostgreSQL, words with
# their places on SQLite, of live texts and of texts that were live when they were last indexed.
SEARCH_INDEX = {
    "sqlite": "stores_searchtext",
    "postgresql": "stores_searchentry.words",
}
# In the data folder.
FILES = {
    "memconsole.sqlite3": "the database, pages that were freed included",
    "memconsole.sqlite3-wal": "its write-ahead log",
}
# No cache holds memory text.
CACHES: dict[str, str] = {}
