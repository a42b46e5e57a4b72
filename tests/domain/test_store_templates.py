"""New stores that begin with something."""

from django.test import TestCase

from stores.domain import history
from stores.domain.content import check_content
from stores.domain.errors import InvalidInput, PermissionDenied
from stores.domain.paths import check_path
from stores.domain.store_templates import TEMPLATES, create_store_from_template
from stores.domain.stores import check_description
from stores.models import Memory, MemoryStore, MemoryVersion
from tests.factories import make_actor


class CreateStoreFromTemplateTest(TestCase):
    def test_every_template_makes_its_store(self):
        actor = make_actor()
        self.assertEqual(list(TEMPLATES), ["blank", "user_preferences", "project_log", "feature_checklist"])
        for key, template in TEMPLATES.items():
            with self.subTest(key):
                store = create_store_from_template(
                    actor=actor, name="New", template=key, metadata={"team": "x"}
                )
                self.assertEqual(
                    (store.name, store.description, store.metadata),
                    ("New", template.store_description, {"team": "x"}),
                )
                texts = MemoryVersion.objects.in_bulk()
                memories = Memory.objects.filter(store=store)
                self.assertEqual(
                    {memory.path: texts[memory.head_version_id].content for memory in memories},
                    dict(template.files),
                )
                self.assertEqual(MemoryStore.objects.get(id=store.id).memory_count, len(template.files))
                self.assertEqual(list(history.verify_store(store_id=store.id)), [])

    def test_the_texts_are_valid(self):
        for template in TEMPLATES.values():
            check_description(template.store_description)
            for path, content in template.files.items():
                check_path(path)
                check_content(content)
                self.assertTrue(content.endswith("\n"))

    def test_a_description_of_ones_own(self):
        store = create_store_from_template(
            actor=make_actor(), name="New", template="project_log", description=""
        )
        self.assertEqual(store.description, "")

    def test_refuses_and_leaves_nothing(self):
        for kind, fields in (
            (InvalidInput, {"template": "none"}),
            (InvalidInput, {"name": ""}),
            (PermissionDenied, {"actor": make_actor(access="read_write")}),
        ):
            with self.assertRaises(kind):
                create_store_from_template(
                    **{"actor": make_actor(), "name": "New", "template": "project_log"} | fields
                )
        self.assertFalse(MemoryStore.objects.exists())
