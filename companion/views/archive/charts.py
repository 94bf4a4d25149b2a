"""A chart of a measure over the moves, as SVG text; its lines differ in dashes and marks, not in colour alone.

The SVG's description states the same numbers; colours come from the page's style, by class.
"""

from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

from companion.views.archive.measures import Series
from companion.views.words import counted, listed, phrase

STYLES = 6
"""Number of line styles; the seventh line looks like the first."""

_WIDTH, _HEIGHT = 400, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 52, 12, 34
_DASHES = ("", "7 4", "2 4", "10 4 2 4", "14 5", "4 3")
_MARKS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-4-4h8v8h-8z",
    "M0-5.2L5 3.8H-5z",
    "M0-5.4L5.4 0L0 5.4L-5.4 0z",
    "M0 5.2L5-3.8H-5z",
    "M-5-2h3v-3h4v3h3v4h-3v3h-4v-3h-3z",
)
_MARKS_A_LINE = 6
_LABEL_GAP = 14.5
_MOST_STEPS = 5.5


def chart(series: Series, name: str) -> str:
    """The chart of one measure; ``name`` makes its ids differ from those of other charts on the page.

    Returns:
        An ``svg`` element with a title and a description, safe to stand in a page as it is.
    """
    scale = _Scale(series)
    title = phrase("past", "chart", measure=series.measure.title)
    parts = [
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" xmlns="http://www.w3.org/2000/svg"',
        f" aria-labelledby={quoteattr(f'{name}-title {name}-words')}>",
        f"<title id={quoteattr(f'{name}-title')}>{escape(title)}</title>",
        f"<desc id={quoteattr(f'{name}-words')}>{escape(in_words(series))}</desc>",
        *_frame(series, scale),
        *(part for n, values in enumerate(series.values.values()) for part in _line(values, n, scale)),
        *_labels(series, scale),
        "</svg>",
    ]
    return "".join(parts)


def key(n: int) -> str:
    """The n-th player's line style, as SVG for the legend."""
    return (
        f'<svg class="key" viewBox="0 0 34 12" aria-hidden="true"><path class="line s{n % STYLES}" d="M1 6H33"'
        f'{_dash(n)}/><path class="mark s{n % STYLES}" transform="translate(17 6)" d="{_MARKS[n % STYLES]}"/></svg>'
    )


def in_words(series: Series) -> str:
    """The chart's text alternative: each player's first, least, greatest and last number."""
    parts = []
    for name, values in series.values.items():
        least, most, first, last = min(values), max(values), values[0], values[-1]
        form = "chart-course-between" if {least, most} - {first, last} else "chart-course"
        parts.append(phrase("past", form, player=name, first=first, last=last, least=least, most=most))
    moves = counted(len(next(iter(series.values.values()))) - 1, "move")
    text = phrase("past", "chart-words", measure=series.measure.title, moves=moves, courses="; ".join(parts))
    if not series.ends:
        return text
    return f"{text} {phrase('past', 'chart-over', moves=listed([str(n) for n in series.ends]))}"


def changes_of(series: Series) -> list[tuple[int, Mapping[str, int]]]:
    """The numbers as table rows: before the first move, after the last, and after each change."""
    columns = list(series.values.items())
    rows = list(zip(*(values for _, values in columns), strict=True))
    shown = [n for n in range(len(rows)) if n in (0, len(rows) - 1) or rows[n] != rows[n - 1]]
    return [(n, {name: rows[n][place] for place, (name, _) in enumerate(columns)}) for n in shown]


class _Scale:
    """Maps a move and a number to the picture."""

    def __init__(self, series: Series) -> None:
        numbers = [value for values in series.values.values() for value in values]
        self.steps = ticks(min(numbers), max(numbers))
        self.moves = max(1, len(next(iter(series.values.values()))) - 1)

    def x(self, move: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * move / self.moves

    def y(self, number: float) -> float:
        low, high = self.steps[0], self.steps[-1]
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * (number - low) / (high - low)


def ticks(low: int, high: int) -> list[int]:
    """Round numbers around a span, at most seven.

    >>> ticks(0, 104)
    [0, 20, 40, 60, 80, 100, 120]
    >>> ticks(-3, 4)
    [-4, -2, 0, 2, 4]
    >>> ticks(0, 0)
    [0, 1]
    """
    span = max(high - low, 1)
    steps = (factor * 10**power for power in range(12) for factor in (1, 2, 5))
    step = next(step for step in steps if span / step <= _MOST_STEPS)
    first = low // step
    last = max(-(-high // step), first + 1)
    return [n * step for n in range(first, last + 1)]


def _frame(series: Series, scale: _Scale) -> Iterator[str]:
    right = _WIDTH - _RIGHT
    for number in scale.steps:
        y = scale.y(number)
        yield f'<path class="grid" d="M{_LEFT} {y:.1f}H{right}"/>'
        yield f'<text class="tick" x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{number}</text>'
    for n in series.ends:
        yield f'<path class="end" d="M{scale.x(n):.1f} {_TOP}V{_HEIGHT - _BOTTOM}"/>'
    for move in dict.fromkeys((0, scale.moves // 2, scale.moves)):
        yield f'<text class="tick" x="{scale.x(move):.1f}" y="{_HEIGHT - 18}" text-anchor="middle">{move}</text>'
    words = escape(phrase("past", "chart-moves"))
    yield f'<text class="axis" x="{(_LEFT + right) / 2:.1f}" y="{_HEIGHT - 3}" text-anchor="middle">{words}</text>'


def _line(values: Sequence[int], n: int, scale: _Scale) -> Iterator[str]:
    """A step line with marks."""
    path = [f"M{scale.x(0):.1f} {scale.y(values[0]):.1f}"]
    path += [
        f"H{scale.x(move):.1f}V{scale.y(values[move]):.1f}"
        for move in range(1, len(values))
        if values[move] != values[move - 1]
    ]
    yield f'<path class="line s{n % STYLES}" d="{"".join(path)}H{scale.x(len(values) - 1):.1f}"{_dash(n)}/>'
    for move in _marked(len(values) - 1, n):
        at = f"translate({scale.x(move):.1f} {scale.y(values[move]):.1f})"
        yield f'<path class="mark s{n % STYLES}" transform="{at}" d="{_MARKS[n % STYLES]}"/>'


def _marked(moves: int, n: int) -> list[int]:
    """The moves at which a line is marked: the last, and some before it that differ from line to line."""
    step = max(1, moves // _MARKS_A_LINE)
    first = moves - step * (n % STYLES) // STYLES
    return list(dict.fromkeys((moves, *range(first, -1, -step))))


def _labels(series: Series, scale: _Scale) -> Iterator[str]:
    """The last numbers at the right, without overlaps."""
    last = sorted(((scale.y(values[-1]), n, values[-1]) for n, values in enumerate(series.values.values())))
    lowest = _HEIGHT - _BOTTOM - _LABEL_GAP * (len(last) - 1) + 4
    least = _TOP - _LABEL_GAP
    for place, (y, n, number) in enumerate(last):
        least = max(least + _LABEL_GAP, min(y + 4, lowest + place * _LABEL_GAP))
        yield f'<text class="last s{n % STYLES}" x="{_WIDTH - _RIGHT + 9}" y="{least:.1f}">{number}</text>'


def _dash(n: int) -> str:
    dash = _DASHES[n % STYLES]
    return f' stroke-dasharray="{dash}"' if dash else ""
