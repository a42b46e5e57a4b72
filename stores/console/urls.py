"""The console's addresses: every page, filter and version has one."""

from django.urls import path, register_converter

from stores.console.views import connect, home, memories, session, stores, versions


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

urlpatterns = [
    path("", home.overview, name="overview"),
    path("connect/", connect.connect, name="connect"),
    path("theme/", session.choose_theme, name="theme"),
    path("workspace/", session.choose_workspace, name="workspace"),
    path("stores/", stores.store_list, name="store_list"),
    path(STORE, stores.store_detail, name="store_detail"),
    path(STORE + "activity/", versions.store_activity, name="store_activity"),
    path(MEMORY, memories.memory_detail, name="memory_detail"),
    path(MEMORY + "history/", versions.memory_history, name="memory_history"),
    path(STORE + "versions/<version_id:version_id>/", versions.version_detail, name="version_detail"),
]
