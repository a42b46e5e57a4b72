"""What was typed into the search field, as terms that a text holds or does not (pure).

A query is literal text; there is no syntax, so none can be wrong. Blanks part the terms, a pair of quotes
keeps some together, and all of them must occur. A term that is one plain word means that word; any other
(`POL-358`, `a/b`, `C++`, `*`, several words in quotes, scripts without spaces) is looked for as it stands.
"""

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Literal

import msgspec

from stores.domain.search_words import fold, fold_case, is_letter, is_word, words_of

Mode = Literal["words", "substring", "path"]

# As many as the index is asked for; of a longer query the rest is compared with the texts found.
INDEXED_WORDS = 12

# A quote opens only where a term begins and closes only where one ends: 5" and "--error are just text.
_TERM = re.compile(r'"([^"]*[^"\s][^"]*)"(?!\S)|(\S+)')
_BLANKS = re.compile(r"\s+")


class Term(msgspec.Struct, frozen=True, dict=True):
    """`folded` occurs in a folded text, whole words unless it is `inside` words too; `exact` chooses how
    texts are folded.
    """

    folded: str
    inside: bool = False
    exact: bool = False

    @cached_property
    def is_one_piece(self) -> bool:
        return self.exact or " " not in self.folded

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        # Words in quotes stay together over the end of a line too.
        return re.compile(r"\s+".join(re.escape(piece) for piece in self.folded.split()))

    def whole_words(self) -> list[str]:
        """The words that every text with this term has as they are: of a term that may stand inside words,
        not those that its ends may cut.
        """
        if not self.inside:
            return words_of(self.folded)
        folded = fold(self.folded)
        words = words_of(folded)
        first = 1 if words and is_letter(folded[0]) else 0
        last = len(words) - 1 if words and is_letter(folded[-1]) else len(words)
        return words[first:last]

    @cached_property
    def is_plain(self) -> bool:
        """Whether the index alone can answer it."""
        return not self.inside and is_word(self.folded)

    def find(self, folded: str, start: int = 0) -> tuple[int, int] | None:
        """Where it first occurs at or behind `start`."""
        while True:
            if self.is_one_piece:
                begin = folded.find(self.folded, start)
                end = begin + len(self.folded)
            else:
                found = self.pattern.search(folded, start)
                begin, end = found.span() if found else (-1, -1)
            if begin < 0:
                return None
            if self.inside or not self._is_cut(folded, begin, end):
                return begin, end
            start = begin + 1

    def _is_cut(self, folded: str, begin: int, end: int) -> bool:
        """Whether a word goes on where the term begins or ends."""
        return (begin > 0 and is_letter(folded[begin]) and is_letter(folded[begin - 1])) or (
            end < len(folded) and is_letter(folded[end - 1]) and is_letter(folded[end])
        )


class Query(msgspec.Struct, frozen=True):
    terms: tuple[Term, ...]
    exact: bool
    path_only: bool

    def words(self) -> list[str]:
        """What to ask the index for: every text that matches has all of these words, the longest first."""
        if self.path_only:
            return []  # paths are looked through faster than texts are fetched
        words = dict.fromkeys(word for term in self.terms for word in term.whole_words())
        return sorted(words, key=lambda word: (-len(word), word))[:INDEXED_WORDS]

    def needs_text(self) -> bool:
        """Whether what the index finds must be compared with the text itself."""
        words = {word for term in self.terms for word in words_of(term.folded)}
        return len(words) > INDEXED_WORDS or not all(term.is_plain for term in self.terms)

    def phrase(self) -> Term:
        """All terms side by side, in the order they were written."""
        return Term(" ".join(term.folded for term in self.terms))

    def fold(self, text: str) -> str:
        return fold_case(text) if self.exact else fold(text)

    def matches(self, path: str, content: str) -> bool:
        """Whether every term occurs in the path or in the text."""
        folded_path = self.fold(path)
        if self.path_only:
            return all(term.find(folded_path) for term in self.terms)
        missing = [term for term in self.terms if not term.find(folded_path)]
        if not missing:
            return True
        folded = self.fold(content)
        return all(term.find(folded) for term in missing)


def parse_query(text: str, mode: Mode) -> Query:
    """Never fails. A query without terms matches nothing; ask `terms` first."""
    if mode == "substring":
        folded = fold_case(text.strip())
        return Query(_terms([folded], inside=True, exact=True), exact=True, path_only=False)
    pieces = [quoted or plain for quoted, plain in _TERM.findall(text)]
    folded_pieces = [_BLANKS.sub(" ", fold(piece)).strip() for piece in pieces]
    # What folds to nothing (a lone accent or joiner) can stand nowhere, and must not match everywhere.
    return Query(
        _terms(
            [folded or piece for folded, piece in zip(folded_pieces, pieces, strict=True)],
            inside=mode == "path",
        ),
        exact=False,
        path_only=mode == "path",
    )


def inside_words(query: Query) -> Query:
    """The same terms, found in the middle of words too."""
    return msgspec.structs.replace(
        query, terms=tuple(msgspec.structs.replace(term, inside=True) for term in query.terms)
    )


def _terms(folded: Iterable[str], *, inside: bool, exact: bool = False) -> tuple[Term, ...]:
    return tuple(Term(text, inside, exact) for text in dict.fromkeys(folded) if text)
