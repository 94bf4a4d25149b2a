"""The people of a simulated evening: they play a script on a filmed table and use buttons and phones as people do.

They act in table time, a little with every picture. Whoever lays a card waits for the proposal and confirms it by
button; a wrong one is rejected and the card laid again; when the camera sees nothing they push the card straight, lay
it again, and in the end enter the move on a phone, each of which is told. Nothing is remembered but the attempt at
hand: what to do next follows from the session's moves, so a table that was killed goes on where it was.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from companion.errors import CompanionError
from companion.rules.engine import Command, Header
from companion.simulator.incidents import Incident, Incidents
from companion.simulator.script import Player, Script, write_script
from companion.simulator.tabletop import Tabletop

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class TableView:
    """What people read off the scoreboard.

    Attributes:
        header: which game is played, and by whom.
        moves: the commands that stand.
        proposal: what the camera has seen and waits for a person.
    """

    header: Header
    moves: Sequence[Command]
    proposal: Command | None


class Equipment(Protocol):
    """What people at the table can see and touch of the program."""

    def view_table(self) -> TableView:
        """What the scoreboard shows now."""

    def press(self, button: str) -> None:
        """Push ``confirm`` or ``reject`` on the panel and let go."""

    def enter(self, command: Command) -> None:
        """Enter a command on a phone. Raises `CompanionError` when it is refused."""

    def mistaken(self, command: Command) -> Command | None:
        """Another command that the rules allow in the same place, None where there is none."""

    def put_right(self, command: Command) -> None:
        """Correct the last move. Raises `CompanionError` when it is refused."""

    def tell(self, code: str) -> None:
        """Say on all screens what goes on in the demo."""

    def pull_camera(self, away_s: float) -> None:
        """Have the camera away for so many seconds by the clock."""

    def cut_power(self) -> None:
        """End the program without a word; what starts it again is somebody else's affair."""


@dataclass(frozen=True, slots=True)
class Temper:
    """How quick and how patient people are, in seconds of table time.

    Attributes:
        think_s: the least and the most before a card is laid.
        speak_s: the same before chips are announced on a phone.
        look_s: the same between a proposal and the press.
        patience_s: how long people wait for the camera to see a card before they do something about it.
        again_s: how long until a press that did nothing is repeated.
        fidgets: how often a move is preceded by a hand that only hovers, 0..1.
        slips: how often something is first laid wrongly, where the table says how, 0..1.
    """

    think_s: tuple[float, float] = (1.5, 4.0)
    speak_s: tuple[float, float] = (0.8, 2.0)
    look_s: tuple[float, float] = (0.9, 1.8)
    patience_s: float = 6.0
    again_s: float = 1.5
    fidgets: float = 0.15
    slips: float = 0.1


_REMEDIES = ("nudge", "lay again", "lay again", "phone")
"""What is tried, one after the other, when a card is not seen for what it is."""
_PHONE = _REMEDIES.index("phone")

_HAND_RESTS_S, _CAMERA_AWAY_S, _BEFORE_DARK_S, _UNTIL_PUT_RIGHT_S = 8.0, 9.0, 5.0, (6.0, 8.0)
"""How long a hand rests in view and a camera is away, until the power fails and until a wrong move is put right."""
_READ_WITHIN_S = 12.0
"""What is announced of an incident stays for so long: people read it."""
_AFTERWARDS_S = 25.0
"""So long the end of a game is looked at before the next begins."""


class Evening:
    """One script being played. Call `step` with every picture."""

    def __init__(
        self,
        script: Script,
        player: Player,
        table: Tabletop,
        equipment: Equipment,
        random: Random,
        say: Say,
        temper: Temper | None = None,
        incidents: Incidents | None = None,
    ) -> None:
        """People who are about to play.

        Args:
            script: what they play.
            player: who thinks for all of them when someone else takes part and the script no longer holds.
            table: where; it lies as the equipment's moves say.
            equipment: buttons and phones.
            random: their moods.
            say: told what people do about a camera that does not see well.
            temper: how quick they are.
            incidents: what befalls them, already planned; None: nothing, and nothing is told of the demo.
        """
        self._script, self._player = script, player
        self._table, self._equipment = table, equipment
        self._random, self._say, self._temper = random, say, temper or Temper()
        self._now_s = self._since_s = self._wait_s = 0.0
        self._known: tuple[Header, Sequence[Command]] | None = None
        self._index = -1
        self._performed = self._has_slipped = False
        self._failures = 0
        self._considered: Command | None = None
        self._refused: tuple[int, str] | None = None
        self._incidents = incidents
        self._must_slip = False
        self._mistake: tuple[Command, Command] | None = None
        self._is_mistaken = False
        self._dark_s: float | None = None
        self._ended_s: float | None = None
        self._announced_s = 0.0

    @property
    def is_over(self) -> bool:
        """Whether there is nothing more to do: the script is played, or another game is on the table."""
        return self._index >= len(self._script.commands)

    @property
    def is_done(self) -> bool:
        """Whether it has been over for so long that another game may begin."""
        return self._ended_s is not None and self._now_s - self._ended_s >= _AFTERWARDS_S

    @property
    def awaits_camera(self) -> bool:
        """Whether a card lies and the camera has not said what it is."""
        return self._performed and self._considered is None

    def step(self, t_s: float) -> None:
        """Let people go on, at a table time. Nothing happens while a hand is over the table."""
        self._now_s = t_s
        view = self._equipment.view_table()
        if self._dark_s is not None and t_s >= self._dark_s:
            self._dark_s = None
            self._equipment.cut_power()
        if self._mistake is not None:
            self._make_mistake(view, *self._mistake)
            return
        if (view.header, view.moves) != self._known:
            self._take_note(view)
        if self._table.is_busy:
            self._since_s = t_s
        elif not self.is_over:
            self._go_on(view)

    def _take_note(self, view: TableView) -> None:
        """Find in the session at which of the script's commands the table is."""
        self._known = view.header, view.moves
        if view.header.game != self._script.header.game:
            self._index = len(self._script.commands)
            self._say(f"a game of {view.header.game} has been begun: the scripted players only watch")
            return
        done = self._table.done(view.moves) if view.header == self._script.header else None
        if done is None:
            done = self._follow(view)
        self._turn_to(done)

    def _turn_to(self, index: int) -> None:
        """Go on to a command of the script, with what befalls the table there."""
        self._index, self._failures, self._performed, self._considered = index, 0, False, None
        if self.is_over:
            self._say("the game is over; the table stays as it is")
            self._ended_s = self._now_s
            self._tell("over")
            return
        is_laid = self._table.is_laid(index)
        self._rest(self._temper.think_s if is_laid else self._temper.speak_s)
        incident = self._incidents.take(index) if self._incidents is not None else None
        if incident is Incident.PUT_RIGHT and not self._plan_mistake(is_laid):
            assert self._incidents is not None
            self._incidents.put_off(incident, index)
            incident = None
        if incident is not None:
            self._befall(incident)
        elif is_laid and self._random.random() < self._temper.fidgets:
            self._table.fidget()
        if incident is None:
            self._tell("plays")

    def _befall(self, incident: Incident) -> None:
        """Let an incident happen."""
        if incident is Incident.SLIP:  # told as it happens: not everything can be laid wrongly
            self._must_slip = True
            return
        self._tell(incident.value)
        match incident:
            case Incident.HAND:
                self._table.rest_hand(_HAND_RESTS_S)
            case Incident.CAMERA:
                self._equipment.pull_camera(_CAMERA_AWAY_S)
            case Incident.POWER:
                self._dark_s = self._now_s + _BEFORE_DARK_S

    def _plan_mistake(self, is_laid: bool) -> bool:
        """Choose how the next command is to be entered wrongly; False where it is not laid or could not be."""
        if not is_laid:
            return False
        right = self._table.command_for(self._equipment.view_table().moves, self._index)
        wrong = self._table.mistaken(self._index) or self._equipment.mistaken(right)
        self._mistake, self._is_mistaken = (wrong, right) if wrong is not None else None, False
        return wrong is not None

    def _make_mistake(self, view: TableView, wrong: Command, right: Command) -> None:
        """Someone enters the move by hand, wrongly; the card is laid as it is meant, and the move put right."""
        if self._table.is_busy:
            self._since_s = self._now_s
        if not self._is_rested():
            return
        try:
            if self._is_mistaken:
                self._mistake = None
                self._equipment.put_right(right)
            else:
                self._equipment.enter(wrong)
                self._table.perform(self._index)
        except CompanionError as refused:
            self._mistake = None
            self._note_refusal(refused.message)
        self._is_mistaken = True
        self._rest(_UNTIL_PUT_RIGHT_S)

    def _tell(self, what: str) -> None:
        """Tell of an incident at once; that all goes on as usual only when the last one could be read."""
        if self._incidents is None or (what == "plays" and self._now_s - self._announced_s < _READ_WITHIN_S):
            return
        self._announced_s = self._now_s
        self._equipment.tell(f"demo-{what}")

    def _follow(self, view: TableView) -> int:
        """Someone else has moved: the players think again and go on from there."""
        self._say("someone else has taken part; the players go on from there")
        self._script = write_script(view.header, self._player, view.moves)
        self._table.follow(self._script, view.moves)
        return len(view.moves)

    def _go_on(self, view: TableView) -> None:
        """Do what is due of the script's command: say it, lay it, or see what the camera makes of it."""
        if not self._table.is_laid(self._index):
            if self._is_rested():
                self._enter(view)
        elif not self._performed:
            if self._is_rested():
                self._lay(self._index)
        else:
            self._attend(view)

    def _lay(self, index: int) -> None:
        """Lay what the command asks for, now and then by a slip; first tidy what lies wrongly."""
        if not self._table.tidy(index):
            slips = self._failures == 0 and (self._must_slip or self._random.random() < self._temper.slips)
            self._has_slipped = slips and self._table.mislay(index)
            if not self._has_slipped:
                self._table.perform(index)
            elif self._must_slip:
                self._must_slip = False
                self._tell(Incident.SLIP.value)
            self._performed = True
            self._rest((self._temper.patience_s, self._temper.patience_s))

    def _attend(self, view: TableView) -> None:
        """A card lies; see what the camera makes of it."""
        seen = view.proposal
        if seen is None:
            if self._is_rested():
                is_laid = self._table.can_repeat(self._index)
                self._remedy(view, "the camera has not seen it", self._failures if is_laid else _PHONE)
        elif seen != self._considered:
            self._considered = seen
            self._rest(self._temper.look_s)
        elif self._is_rested():
            self._judge(view, seen)

    def _judge(self, view: TableView, seen: Command) -> None:
        """Confirm a proposal that is the script's command, else reject it and help."""
        if self._table.is_next(view.moves, seen):
            self._equipment.press("confirm")
            self._rest((self._temper.again_s, self._temper.again_s))
        else:
            self._equipment.press("reject")
            is_right = self._table.is_read_right(view.moves, seen)
            why = "that was a slip" if self._has_slipped else f"the camera took it for {seen}"
            self._remedy(view, why, _PHONE if is_right else max(self._failures, 1))

    def _remedy(self, view: TableView, why: str, severity: int) -> None:
        """Help a camera that has not seen a card right: push the card, lay it again, at last use a phone."""
        remedy = _REMEDIES[min(severity, len(_REMEDIES) - 1)]
        self._failures = severity + 1
        self._considered = None
        self._say(f"move {self._index + 1}: {why}; people {_SPOKEN[remedy]}")
        if remedy == "phone":
            self._enter(view)
            return
        if remedy == "nudge":
            self._table.nudge(self._index)
            self._rest((self._temper.patience_s, self._temper.patience_s))
        else:
            self._table.take_back(self._index)
            self._performed = False
            self._rest(self._temper.think_s)

    def _enter(self, view: TableView) -> None:
        """Enter the command on a phone."""
        try:
            self._equipment.enter(self._table.command_for(view.moves, self._index))
        except CompanionError as refused:
            self._note_refusal(refused.message)
        self._rest((self._temper.again_s, self._temper.again_s))

    def _note_refusal(self, refusal: str) -> None:
        """Tell why a phone refused, once for each move: it is tried again and again."""
        if self._refused != (self._index, refusal):
            self._refused = self._index, refusal
            self._say(f"move {self._index + 1}: the phone says: {refusal}")

    def _rest(self, span_s: tuple[float, float]) -> None:
        self._since_s, self._wait_s = self._now_s, self._random.uniform(*span_s)

    def _is_rested(self) -> bool:
        """Whether the rest is over; a hand's visit meanwhile puts it off (see `step`)."""
        return self._now_s - self._since_s >= self._wait_s


_SPOKEN = {"nudge": "push the card straight", "lay again": "lay the card again", "phone": "enter it on a phone"}
