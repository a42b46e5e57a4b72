from django.test import TestCase

from stores.domain import listing, memories, rollback, stores, versions
from stores.domain.actors import Actor, ActorType, Right, Road, key_actor, member_actor, session_actor
from stores.domain.errors import PermissionDenied, StoreNotFound
from tests.cases import all_rows
from tests.factories import (
    make_actor,
    make_api_key,
    make_member,
    make_memory,
    make_person,
    make_store,
    make_user,
    make_version,
    make_workspace,
)

READ, WRITE, REDACT, MANAGE = Right.READ, Right.WRITE, Right.REDACT, Right.MANAGE
# decisions.md, 1, and console.md
RIGHTS_OF_KEYS = {
    "read_only": {READ},
    "read_write": {READ, WRITE},
    "admin": {READ, WRITE, REDACT, MANAGE},
}
RIGHTS_OF_PEOPLE = {
    "viewer": {READ},
    "editor": {READ, WRITE},
    "reviewer": {READ, WRITE, REDACT},
    "admin": {READ, WRITE, REDACT, MANAGE},
}


class KeyActorTest(TestCase):
    def test_is_the_key_with_its_rights(self):
        for access, rights in RIGHTS_OF_KEYS.items():
            with self.subTest(access):
                key, _ = make_api_key(name="Night shift", access=access)
                self.assertEqual(
                    key_actor(api_key=key),
                    Actor(
                        type=ActorType.API,
                        id=key.id,
                        label="Night shift",
                        workspace_id=key.workspace_id,
                        rights=frozenset(rights),
                        road=Road.API,
                        store_ids=None,
                        is_agent=access != "admin",
                    ),
                )

    def test_reaches_the_stores_it_is_limited_to(self):
        operator = make_actor()
        store = make_store(actor=operator)
        workspace_id = operator.workspace_id
        key, _ = make_api_key(workspace=store.workspace, store_ids=[store.id])
        actor = key_actor(api_key=key)
        self.assertEqual((actor.workspace_id, actor.store_ids), (workspace_id, frozenset({store.id})))
        self.assertTrue(actor.reaches(store.id))
        self.assertFalse(actor.reaches("memstore_other"))

    def test_limited_to_no_store_reaches_none(self):
        key, _ = make_api_key(store_ids=[])
        self.assertFalse(key_actor(api_key=key).reaches("memstore_any"))


class MemberActorTest(TestCase):
    def test_is_the_person_with_the_rights_of_the_role(self):
        for role, rights in RIGHTS_OF_PEOPLE.items():
            with self.subTest(role):
                membership = make_member(user=make_user(name="Robin Reed"), role=role)
                self.assertEqual(
                    member_actor(membership=membership),
                    Actor(
                        type=ActorType.USER,
                        id=membership.user_id,
                        label="Robin Reed",
                        workspace_id=membership.workspace_id,
                        rights=frozenset(rights),
                        road=Road.CONSOLE,
                    ),
                )


class SessionActorTest(TestCase):
    def test_writes_but_never_redacts_or_manages(self):
        for read_only, rights in ((False, {READ, WRITE}), (True, {READ})):
            actor = session_actor(
                session_id="sesn_1", label="Run", workspace_id="wrkspc_1", read_only=read_only
            )
            self.assertEqual(
                (actor.type, actor.id, actor.rights, actor.is_agent),
                (ActorType.SESSION, "sesn_1", rights, True),
            )


class RightsTest(TestCase):
    """Who may call what: every function of the domain against every kind of actor."""

    @classmethod
    def setUpTestData(cls):
        cls.workspace = make_workspace()
        cls.operator = make_actor(workspace=cls.workspace)
        cls.store = make_store(actor=cls.operator)
        cls.memory = make_memory(actor=cls.operator, store=cls.store, path="/a.md", content="one")
        cls.version = make_version(actor=cls.operator, memory=cls.memory, content="two")
        cls.spare = make_memory(actor=cls.operator, store=cls.store, path="/spare.md")

    def calls(self):
        """(right, function, what it takes besides the actor); each would succeed with the right."""
        here = {"store_id": self.store.id}
        memory = {**here, "memory_id": self.memory.id}
        first = {**here, "version_id": self.memory.head_version_id}
        return [
            (READ, stores.get_store, here),
            (READ, memories.get_memory, memory),
            (READ, versions.get_version, first),
            (READ, listing.list_stores, {"limit": 1}),
            (READ, listing.list_memories, {**here, "limit": 1}),
            (READ, listing.list_versions, {**here, "limit": 1}),
            (WRITE, memories.create_memory, {**here, "path": "/n.md", "content": ""}),
            (WRITE, memories.update_memory, {**memory, "content": "three"}),
            (WRITE, rollback.restore_version, first),
            (WRITE, memories.delete_memory, {**here, "memory_id": self.spare.id}),
            (REDACT, versions.redact_version, first),
            (MANAGE, stores.create_store, {"name": "New"}),
            (MANAGE, stores.update_store, {**here, "name": "Other"}),
            (MANAGE, stores.archive_store, here),
            (MANAGE, stores.delete_store, here),
        ]

    def actors(self):
        for access, rights in RIGHTS_OF_KEYS.items():
            yield f"{access} key", make_actor(workspace=self.workspace, access=access), rights
        for role, rights in RIGHTS_OF_PEOPLE.items():
            yield role, make_person(workspace=self.workspace, role=role), rights
        session = session_actor(session_id="sesn_1", label="Run", workspace_id=self.workspace.id)
        yield "session", session, {READ, WRITE}

    def test_each_function_asks_for_its_right(self):
        for who, actor, rights in self.actors():
            # In this order, so that deleting the store comes last.
            for right, call, parameters in self.calls():
                with self.subTest(who=who, call=call.__name__):
                    if right in rights:
                        continue
                    before = all_rows()
                    with self.assertRaises(PermissionDenied) as caught:
                        call(actor=actor, **parameters)
                    self.assertTrue(caught.exception.message.startswith("This credential may not "))
                    self.assertEqual(all_rows(), before)

    def test_each_function_works_with_its_right(self):
        for right, call, parameters in self.calls():
            with self.subTest(call=call.__name__):
                rights = frozenset({right, READ})
                call(actor=replace_rights(self.operator, rights), **parameters)

    def test_nobody_reaches_into_another_workspace_or_another_store(self):
        limited = make_actor(workspace=self.workspace, store_ids=[make_store(actor=self.operator).id])
        for who, actor in (("stranger", make_actor()), ("limited key", limited)):
            for _right, call, parameters in self.calls():
                if "store_id" not in parameters:
                    continue
                with self.subTest(who=who, call=call.__name__):
                    before = all_rows()
                    with self.assertRaises(StoreNotFound):
                        call(actor=actor, **parameters)
                    self.assertEqual(all_rows(), before)

    def test_a_limited_key_makes_no_stores(self):
        limited = make_actor(workspace=self.workspace, store_ids=[self.store.id])
        with self.assertRaisesMessage(PermissionDenied, "limited to certain stores"):
            stores.create_store(actor=limited, name="New")


def replace_rights(actor, rights):
    return Actor(
        type=actor.type,
        id=actor.id,
        label=actor.label,
        workspace_id=actor.workspace_id,
        rights=rights,
        road=actor.road,
    )
