"""The numbers, named, each with its source (pure). C = contract/memory_stores_api.md."""

# C 4.1 [sdk]: characters are code points.
STORE_NAME_CHARACTERS = 255
STORE_DESCRIPTION_CHARACTERS = 1024
METADATA_PAIRS = 16
METADATA_KEY_CHARACTERS = 64
METADATA_VALUE_CHARACTERS = 512

# C 4.2 [sdk].
PATH_BYTES = 1024
PATH_SEGMENTS = 20

# C 4.3 [sdk].
CONTENT_BYTES = 102_400
# C 4.3 [seed].
MEMORIES_PER_STORE = 10_000

# C 4.7 and 4.6 [sdk].
PAGE_ITEMS = 100
PAGE_ITEMS_DEFAULT = 20
PAGE_ITEMS_WITH_CONTENT = 20

# Ours: a reason is a sentence, not a text of its own.
REASON_CHARACTERS = 500
