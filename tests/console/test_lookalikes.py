"""Paths that look the same to a person."""

from django.test import SimpleTestCase

from stores.console.lookalikes import find_lookalike


class LookAlikes(SimpleTestCase):
    def test_finds_them(self):
        for one, other in [
            ("/site-roadmap.md", "/Site Roadmap.md"),
            ("/notes/café.md", "/notes/cafe.md"),
            ("/notes/рау.md", "/notes/pay.md"),
            ("/a_b.md", "/a-b.md"),
            ("/l1.md", "/I1.md"),
            ("/ｆull.md", "/full.md"),
        ]:
            with self.subTest(one):
                self.assertEqual(
                    find_lookalike(one, [("mem_x", "/other"), ("mem_y", other)]), ("mem_y", other)
                )

    def test_leaves_others_alone(self):
        others = [("mem_x", "/notes/a.md"), ("mem_y", "/notes/bc.md"), ("mem_z", "/дом.md")]
        for path in ("/notes/b.md", "/notes.md", "/notes/a.md", "/том.md", "/a/notes.md"):
            with self.subTest(path):
                self.assertIsNone(find_lookalike(path, others))
