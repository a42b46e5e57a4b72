"""The addresses of the contract (contract/memory_stores_api.md, 2)."""

from django.urls import path

from stores.api.views import memories, openapi, stores, versions

app_name = "api"

STORE = "v1/memory_stores/<str:store_id>"

urlpatterns = [
    path("v1/openapi.json", openapi.openapi_document, name="openapi"),
    path("v1/memory_stores", stores.memory_stores, name="memory_stores"),
    path(STORE, stores.memory_store, name="memory_store"),
    path(f"{STORE}/archive", stores.memory_store_archive, name="memory_store_archive"),
    path(f"{STORE}/memories", memories.store_memories, name="memories"),
    path(f"{STORE}/memories/<str:memory_id>", memories.store_memory, name="memory"),
    path(f"{STORE}/memory_versions", versions.store_versions, name="memory_versions"),
    path(f"{STORE}/memory_versions/<str:version_id>", versions.store_version, name="memory_version"),
    path(
        f"{STORE}/memory_versions/<str:version_id>/redact",
        versions.store_version_redact,
        name="memory_version_redact",
    ),
]
