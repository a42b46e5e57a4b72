from io import StringIO

from django.core.management import CommandError, call_command
from django.test import TestCase

from stores.domain import memories
from stores.models import Memory, MemoryStore, MemoryVersion
from tests.commands.run import run
from tests.factories import make_actor, make_memory, make_store


class VerifyHistory(TestCase):
    @classmethod
    def setUpTestData(cls) -> None:
        cls.actor = make_actor()
        cls.store = make_store(actor=cls.actor)
        cls.memory = make_memory(actor=cls.actor, store=cls.store, path="/tea.md", content="Green.")
        memories.update_memory(
            actor=cls.actor, store_id=cls.store.id, memory_id=cls.memory.id, content="Black."
        )
        cls.other = make_store()

    def forge(self) -> MemoryVersion:
        version = MemoryVersion.objects.get(memory_id=self.memory.id, seq=1)
        MemoryVersion.objects.filter(id=version.id).update(content="White.")
        return version

    def verify(self, *arguments: str) -> tuple[str, str]:
        output = StringIO()
        with self.assertRaises(CommandError) as caught:
            call_command("verify_history", *arguments, stdout=output)
        return output.getvalue(), str(caught.exception)

    def test_says_how_much_it_has_proved(self) -> None:
        self.assertEqual(
            run("verify_history"), ["Verified 2 stores: every hash and chain is as it was written."]
        )

    def test_names_what_was_changed_behind_its_back(self) -> None:
        version = self.forge()
        output, error = self.verify()
        self.assertIn(f"{self.store.id} {version.id}: its path or content is not what was written", output)
        self.assertRegex(error, r"^\d mismatches in 2 stores\.$")
        self.assertNotIn("White", output)

    def test_names_a_memory_that_vanished(self) -> None:
        Memory.objects.filter(id=self.memory.id).delete()
        output, _ = self.verify()
        self.assertIn(self.memory.id, output)

    def test_names_versions_whose_store_vanished(self) -> None:
        Memory.objects.filter(id=self.memory.id).delete()
        MemoryStore.objects.filter(id=self.store.id).delete()
        output, _ = self.verify()
        for version_id in MemoryVersion.objects.values_list("id", flat=True):
            self.assertIn(f"{version_id}: its store does not exist", output)

    def test_looks_at_one_store_only_when_asked(self) -> None:
        self.forge()
        self.assertEqual(len(run("verify_history", "--store", self.other.id)), 1)
        output, error = self.verify("--store", self.store.id)
        self.assertIn(self.store.id, output)
        self.assertIn("in 1 stores", error)

    def test_refuses_a_store_that_is_not_there(self) -> None:
        with self.assertRaisesMessage(CommandError, "There is no memory store 'memstore_none'."):
            run("verify_history", "--store", "memstore_none")
