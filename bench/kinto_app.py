"""Kinto as a WSGI application, run by the peer's own Python; as a script it makes Kinto's tables.

What `kinto init --backend postgresql` writes, with the history plugin and without the plugins nobody asks for
here. Basic authentication and a cache in memory are the cheapest that it has.
"""

import os
import sys

import kinto
from kinto.core.scripts import migrate

DATABASE = os.environ["PEER_DATABASE_URL"]
SETTINGS = {
    "kinto.includes": "kinto.plugins.history",
    "kinto.storage_backend": "kinto.core.storage.postgresql",
    "kinto.storage_url": DATABASE,
    "kinto.permission_backend": "kinto.core.permission.postgresql",
    "kinto.permission_url": DATABASE,
    "kinto.cache_backend": "kinto.core.cache.memory",
    "kinto.userid_hmac_secret": "bench",
    "kinto.bucket_create_principals": "system.Authenticated",
    "multiauth.policies": "basicauth",
}
migrates = "migrate" in sys.argv

application = kinto.main({"command": "migrate"} if migrates else {}, **SETTINGS)

if migrates:
    migrate({"registry": application.registry})
