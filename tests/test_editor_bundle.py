"""The editor's bundle is what its source and its lock file give."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE, BUILT = ROOT / "static" / "editor", ROOT / "static" / "vendor"
NAMES = ("editor.js", "editor.LICENSES.txt")


@pytest.mark.once
@pytest.mark.typescript
def test_building_it_again_gives_the_same_bytes(tmp_path):
    subprocess.run([ROOT / ".ci" / "build-editor", tmp_path], check=True, timeout=300)
    assert {path.name for path in tmp_path.iterdir()} == set(NAMES)
    for name in NAMES:
        assert (tmp_path / name).read_bytes() == (BUILT / name).read_bytes(), f"{name}: run `make editor`"


@pytest.mark.once
def test_the_lock_file_names_no_registry():
    assert '"resolved"' not in (SOURCE / "package-lock.json").read_text()


@pytest.mark.once
def test_every_package_has_its_licence():
    licences = (BUILT / "editor.LICENSES.txt").read_text()
    for name, version in re.findall(r'"(@[^"]+)": "([\d.]+)"', (SOURCE / "package.json").read_text()):
        assert f"\n{name} {version} (MIT)\n" in licences
