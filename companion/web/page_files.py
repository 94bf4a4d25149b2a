"""The addresses of the pages' files, which change with what is in them: a phone fetches each once, not at each view.

``/static/main.js?v=VERSION`` may be kept for a year; without the version, or with an earlier one, the browser asks
each time whether the file is still the same. What scripts import gets the version by the page's import map; a browser
that knows none asks each time.
"""

import base64
import hashlib
import json
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

from flask import Flask, Response, request

from companion.views.games import page_folders

ENDPOINTS = ("static", "games.page_file")
_SHOWN = 10
"""So many digits of the version stand in an address."""
_NOT_ASKED_AGAIN = ("ETag", "Last-Modified", "Content-Disposition")
"""What only helps to ask whether a file is still the same, or to save it."""


def keep_page_files(app: Flask) -> str:
    """Let browsers keep the files of an application's pages, as they are when it is made.

    To be called before anything that gives its answers headers, for these are set last.

    Returns:
        The hash of the pages' import map, as a Content-Security-Policy allows it.
    """
    files = dict(_files(app))
    version = _digest(b"".join(path.read_bytes() for path in files.values())).hex()[:_SHOWN]
    scripts = {address: f"{address}?v={version}" for address in files if address.endswith(".js")}
    addresses = json.dumps({"imports": scripts}, separators=(",", ":"))

    @app.url_defaults
    def in_this_version(endpoint: str, values: dict[str, Any]) -> None:
        if endpoint in ENDPOINTS:
            values["v"] = version

    @app.context_processor
    def of_scripts() -> dict[str, Any]:
        return {"addresses": addresses}

    @app.after_request
    def kept(response: Response) -> Response:
        is_todays = request.endpoint in ENDPOINTS and request.args.get("v") == version
        if is_todays and response.status_code == HTTPStatus.OK:
            response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
            response.headers["Vary"] = "Accept-Encoding"  # whoever asks, in whatever language, is sent the same
            for name in _NOT_ASKED_AGAIN:
                del response.headers[name]
        return response

    return f"'sha256-{base64.b64encode(_digest(addresses.encode())).decode()}'"


def _files(app: Flask) -> Iterator[tuple[str, Path]]:
    """Every file that pages may name, by its address."""
    assert app.static_folder is not None, "the house has a folder of its own files"
    folders = {"/static": Path(app.static_folder), **{f"/games/{name}": path for name, path in page_folders().items()}}
    for address, folder in folders.items():
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                yield f"{address}/{path.relative_to(folder)}", path


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
