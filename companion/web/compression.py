"""Page, styles and scripts travel compressed: a whole first view fits in a few tens of kilobytes."""

import gzip
from functools import lru_cache

from flask import Request, Response
from werkzeug.wsgi import FileWrapper

_KINDS = ("text/html", "text/css", "text/javascript", "application/javascript", "image/svg+xml")
_WORTH_BYTES = 600
_LARGEST_BYTES = 256 * 1024


def squeezed(response: Response, request: Request) -> Response:
    """The response compressed where it is text that is worth it and the browser takes it; else as it was."""
    is_whole = response.status_code == 200 and response.content_length is not None
    if response.mimetype not in _KINDS or not is_whole:
        return response
    response.vary.add("Accept-Encoding")
    size_bytes = response.content_length or 0
    if not request.accept_encodings.quality("gzip") or not _WORTH_BYTES <= size_bytes <= _LARGEST_BYTES:
        return response
    opened = response.response
    response.direct_passthrough = False
    response.set_data(_gzipped(response.get_data()))
    if isinstance(opened, FileWrapper):
        opened.close()
    response.headers["Content-Encoding"] = "gzip"
    return response


@lru_cache(maxsize=64)
def _gzipped(data: bytes) -> bytes:
    return gzip.compress(data, 9, mtime=0)
