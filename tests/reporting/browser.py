"""A headless Chromium, driven through chromedriver by plain HTTP (the WebDriver protocol)."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class Browser:
    """One session; each call is one request of the protocol."""

    def __init__(self, session: str) -> None:
        self.session = session

    def open(self, path: Path) -> None:
        self.go(path.as_uri())

    def go(self, url: str) -> None:
        _post(f"{self.session}/url", {"url": url})

    def run(self, script: str) -> Any:
        return _post(f"{self.session}/execute/sync", {"script": script, "args": []})

    def devtools(self, command: str, **parameters: Any) -> Any:
        return _post(f"{self.session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def log(self, kind: str) -> list[dict[str, Any]]:
        return list(_post(f"{self.session}/se/log", {"type": kind}))

    def look(self, *, width: int, scheme: str = "light", media: str = "screen", height: int = 900) -> None:
        self.devtools(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.devtools("Emulation.setEmulatedMedia", media=media, features=features)

    def screenshot(self, path: Path) -> None:
        """The whole page, as far down as it goes."""
        shot = self.devtools("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A fresh browser with a profile of its own."""
    assert CHROMIUM, "no chromium"
    assert DRIVER, "no chromedriver"
    port = _free_port()
    driver = subprocess.Popen([DRIVER, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    server = f"http://127.0.0.1:{port}"
    try:
        _wait_for(server)
        started = _post(f"{server}/session", {"capabilities": {"alwaysMatch": _capabilities(CHROMIUM, profile)}})
        session = f"{server}/session/{started['sessionId']}"
        yield Browser(session)
        _request("DELETE", session, None)
    finally:
        driver.terminate()
        driver.wait(timeout=20)


def _capabilities(chromium: str, profile: Path) -> dict[str, Any]:
    return {
        "goog:chromeOptions": {"binary": chromium, "args": [*FLAGS, f"--user-data-dir={profile}"]},
        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
    }


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def _wait_for(server: str) -> None:
    for _ in range(100):
        try:
            _request("GET", f"{server}/status", None)
            return
        except urllib.error.URLError:
            time.sleep(0.1)
    raise TimeoutError("chromedriver did not start")


def _post(url: str, body: Any) -> Any:
    return _request("POST", url, json.dumps(body).encode())


def _request(method: str, url: str, body: bytes | None) -> Any:
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"}, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=60) as response:
        return json.load(response)["value"]
