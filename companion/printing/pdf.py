"""Sheets as a vector PDF at their exact size: the only module of this room that knows the PDF library."""

import io
from collections.abc import Iterable, Sequence
from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.pdfgen.canvas import Canvas

from companion.printing.shapes import Band, Disc, Point, Polygon, Ring, Shape
from companion.printing.sheets import Clipped, Sheet, Text

_PT_PER_MM = 72 / 25.4
_CAPITALS = 0.72  # a capital's share of the size of Helvetica


def pdf(sheets: Iterable[Sheet], title: str) -> bytes:
    """The sheets as one PDF file's bytes; the same sheets give the same bytes."""
    file = io.BytesIO()
    canvas = Canvas(file, invariant=True)
    canvas.setTitle(title)
    for sheet in sheets:
        width, height = sheet.paper_mm
        canvas.setPageSize((width * _PT_PER_MM, height * _PT_PER_MM))
        canvas.transform(_PT_PER_MM, 0, 0, -_PT_PER_MM, 0, height * _PT_PER_MM)  # from here on mm, y down
        canvas.setLineCap(1)
        canvas.setLineJoin(0)
        for clipped in sheet.clipped:
            _draw_clipped(canvas, clipped)
        for shape in sheet.shapes:
            _draw(canvas, shape)
        for text in sheet.texts:
            _write(canvas, text)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _draw_clipped(canvas: Any, clipped: Clipped) -> None:
    canvas.saveState()
    canvas.clipPath(_path(canvas, clipped.window, is_closed=True), stroke=0, fill=0)
    for shape in clipped.shapes:
        _draw(canvas, shape)
    canvas.restoreState()


def _draw(canvas: Any, shape: Shape) -> None:
    match shape:
        case Disc(centre, radius, fill):
            canvas.setFillColor(HexColor(fill))
            canvas.circle(*centre, radius, stroke=0, fill=1)
        case Ring(centre, radius, width, colour):
            _pen(canvas, colour, width)
            canvas.circle(*centre, radius, stroke=1, fill=0)
        case Polygon(points, fill, line, width):
            if fill:
                canvas.setFillColor(HexColor(fill))
            if line:
                _pen(canvas, line, width)
            canvas.drawPath(_path(canvas, points, is_closed=True), stroke=int(bool(line)), fill=int(bool(fill)))
        case Band(points, width, colour):
            _pen(canvas, colour, width)
            canvas.drawPath(_path(canvas, points, is_closed=False), stroke=1, fill=0)


def _pen(canvas: Any, colour: str, width_mm: float) -> None:
    canvas.setStrokeColor(HexColor(colour))
    canvas.setLineWidth(width_mm)


def _path(canvas: Any, points: Sequence[Point], *, is_closed: bool) -> Any:
    path = canvas.beginPath()
    path.moveTo(*points[0])
    for point in points[1:]:
        path.lineTo(*point)
    if is_closed:
        path.close()
    return path


def _write(canvas: Any, text: Text) -> None:
    canvas.saveState()
    canvas.setFillColor(HexColor("#000000"))
    canvas.translate(*text.at)
    canvas.scale(1, -1)
    canvas.setFont("Helvetica", text.height_mm / _CAPITALS)
    canvas.drawString(0, 0, text.words)
    canvas.restoreState()
