"""The health checks of a running server."""

import httpx2
import pytest

from tests.served.test_serve import answers, eventually
from tests.served_instance import serve_instance

pytestmark = pytest.mark.served


def test_says_that_jobs_are_off(served) -> None:
    response = httpx2.get(served.base_url + "/readyz", headers={"host": "balancer.internal"})
    assert response.status_code == 200
    assert response.json()["checks"]["worker"] == {"status": "off"}
    assert "set-cookie" not in response.headers


def test_is_ready_once_the_worker_is_heard() -> None:
    with serve_instance(no_jobs=False) as instance:
        assert eventually(lambda: answers(instance, "/readyz"))
        instance.stop()
        # A worker that stopped in order has taken its sign of life with it; on a crowded machine it may not
        # manage that within the seconds it is given.
        late = "did not stop in time" in instance.log.read_text()
        assert late or not (instance.data / "worker-heartbeat").exists()
