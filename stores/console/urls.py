"""The console's addresses: every page, filter and version has one."""

from django.urls import path, register_converter

from stores.console.views import (
    activity,
    blames,
    bulk,
    changes,
    connect,
    diffs,
    edit,
    going_back,
    home,
    keys,
    memories,
    moments,
    palette,
    redact,
    searches,
    session,
    settings,
    stores,
    undo,
    versions,
)


class IdConverter:
    """What has not the shape of an id is not looked up: no database need see it."""

    def to_python(self, value: str) -> str:
        return value

    to_url = to_python


class StoreId(IdConverter):
    regex = "memstore_[0-9A-Za-z]{1,64}"


class MemoryId(IdConverter):
    regex = "mem_[0-9A-Za-z]{1,64}"


class VersionId(IdConverter):
    regex = "memver_[0-9A-Za-z]{1,64}"


register_converter(StoreId, "store_id")
register_converter(MemoryId, "memory_id")
register_converter(VersionId, "version_id")

app_name = "console"
STORE = "stores/<store_id:store_id>/"
MEMORY = STORE + "memories/<memory_id:memory_id>/"
VERSION = STORE + "versions/<version_id:version_id>/"

urlpatterns = [
    path("", home.overview, name="overview"),
    path("activity/", activity.stream, name="activity"),
    path("activity/export.<slug:kind>", activity.export, name="activity_export"),
    path("activity/undo/", undo.activity_undo, name="activity_undo"),
    path("search/", searches.search_page, name="search"),
    path("connect/", connect.connect, name="connect"),
    path("keys/", keys.keys, name="keys"),
    path("palette/", palette.palette, name="palette"),
    path("theme/", session.choose_theme, name="theme"),
    path("workspace/", session.choose_workspace, name="workspace"),
    path("stores/", stores.store_list, name="store_list"),
    path("stores/new/", settings.store_create, name="store_create"),
    path(STORE, stores.store_detail, name="store_detail"),
    path(STORE + "bulk/", bulk.store_bulk, name="store_bulk"),
    path(STORE + "settings/", settings.store_settings, name="store_settings"),
    path(STORE + "settings/archive/", settings.store_archive, name="store_archive"),
    path(STORE + "settings/delete/", settings.store_delete, name="store_delete"),
    path(STORE + "activity/", versions.store_activity, name="store_activity"),
    path(STORE + "as-of/", moments.as_of, name="as_of"),
    path(STORE + "as-of/restore/", going_back.as_of_restore, name="as_of_restore"),
    path(STORE + "diff/", diffs.diff, name="diff"),
    path(STORE + "memories/new/", edit.memory_create, name="memory_create"),
    path(MEMORY, memories.memory_detail, name="memory_detail"),
    path(MEMORY + "edit/", edit.memory_edit, name="memory_edit"),
    path(MEMORY + "move/", changes.memory_move, name="memory_move"),
    path(MEMORY + "delete/", changes.memory_delete, name="memory_delete"),
    path(MEMORY + "redact/", redact.memory_redact, name="memory_redact"),
    path(MEMORY + "blame/", blames.memory_blame, name="memory_blame"),
    path(MEMORY + "history/", versions.memory_history, name="memory_history"),
    path(STORE + "versions/<version_id:version_id>/", versions.version_detail, name="version_detail"),
    path(VERSION + "restore/", changes.version_restore, name="version_restore"),
    path(VERSION + "undo/", changes.version_undo, name="version_undo"),
    path(VERSION + "redact/", redact.version_redact, name="version_redact"),
]
