"""What a game says about being taught: which cards, where they are found, what a profile is fitted from."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from companion.errors import UsageError
from companion.printing.layout import Layout
from companion.vision.enrolment.labels import Candidates, cards_in
from companion.vision.enrolment.profile import Profile
from companion.vision.enrolment.quality import BURNT_OUT, SOFTEST
from companion.vision.enrolment.sample import CropFrame, Sample
from companion.vision.evidence import Mark
from companion.vision.image.pyramid import Pyramid

Label = Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Feature:
    """How one printed thing of a sample looks to the classifier.

    Attributes:
        sample: the sample's place among those asked about.
        name: its class, such as a symbol or an owner.
        vector: (D,), nearer the more alike two things look.
        ink: (3,) BGR, what it is printed in, the face being white; None where that says nothing.
    """

    sample: int
    name: str
    vector: NDArray[np.floating]
    ink: NDArray[np.floating] | None = None


@dataclass(frozen=True, slots=True)
class Cutout:
    """A part of a sample that shows one class.

    Attributes:
        name: the class.
        box: left, top, right and bottom in the crop's pixels.
    """

    name: str
    box: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Confirmed:
    """A card as a move of a game had it.

    Attributes:
        card: its label, as a sample's crop is labelled.
        corners: (K, 2) pixels of the move's picture, begun as the crop is.
        was_read: it was read so, and not put right by a person.
    """

    card: Label
    corners: NDArray[np.floating]
    was_read: bool


class Teaching(ABC):
    """How one game's printings are taught."""

    decks: ClassVar[tuple[str, ...]]
    """The decks that have printings of their own."""
    profile: ClassVar[type[Profile]]
    """What is learnt of a printing."""
    few_shot_classifier: ClassVar[type[Any]]
    """What names cards of a printing by its profile."""
    phrases: ClassVar[tuple[str, ...]] = ()
    """Where the page's catalogue has the classes' names: ``symbol`` for ``symbol-red``."""
    part: ClassVar[str]
    """The field of a reading under which its cards stand."""
    least_side_px: ClassVar[float]
    """A card whose sides are shorter on a photograph is too small to teach by."""
    fields: ClassVar[int] = 1
    """How many things that are to be told apart lie along a card's side."""
    most_white: ClassVar[float] = BURNT_OUT
    """A card of which more is plain white on a photograph is burnt out."""
    softest: ClassVar[float] = SOFTEST
    """A card whose edges are softer on a photograph, as a share of its sides, is blurred."""
    alike: ClassVar[float]
    """Two classes whose features lie nearer, by squared distance, are often mistaken for one another."""
    coloured: ClassVar[float] = 0.35
    """The saturation from which on an ink has a hue."""
    swapped_deg: ClassVar[tuple[float, float]] = (60.0, 80.0)
    """Two inks together are so near to each other's names' hues that they are swapped, where a third name of a colour
    bears its own, and so much nearer than to their own. An invented deck's inks may mean nothing: of 80 HexDragon
    printings in any inks 1 is refused so; of 20 with red and blue swapped all are."""
    same: ClassVar[float]
    """Two classes whose features lie nearer cannot be told apart."""

    @staticmethod
    @abstractmethod
    def layouts(deck: str) -> tuple[Layout, ...]:
        """The deck's teaching layouts, the usual one first; they differ in how many cards there are."""

    def replaceable_names(self, card: Label) -> tuple[str, ...]:
        """What a layout's card shows, where any card of the deck may lie in its place; nothing where none may."""
        return ()

    def replace_name(self, card: Label, number: int, name: str) -> Label:
        """A layout's card with another name instead of one of its `replaceable_names`; as it is where it has none."""
        return card

    @abstractmethod
    def names(self, deck: str) -> tuple[str, ...]:
        """The classes that a profile of the deck has to know, as people read them."""

    def optional_names(self, deck: str) -> tuple[str, ...]:
        """Those of `names` that a set may lack."""
        return ()

    def cards(self, label: Label) -> list[Label]:
        """All cards of a picture's label. Raises `UsageError` ``labels-differ`` where it is no such label."""
        return [*cards_in(label, self.part), *cards_in(label, "loose")]

    @abstractmethod
    def check_card(self, deck: str, card: Label) -> None:
        """Raises `UsageError` for a label that no card of the deck has, ``unknown-name`` for the name of none."""

    def check_sample(self, deck: str, label: Label) -> None:
        """Raises `UsageError` for a label that no sample of the deck has."""
        self.check_card(deck, label)

    def teaches(self, card: Label) -> bool:
        """Whether something can be learnt from a card so labelled."""
        return True

    @abstractmethod
    def candidates(self, pyramid: Pyramid) -> Candidates:
        """The outlines on a photograph, those of the game's own detector first."""

    @abstractmethod
    def crops(
        self, pyramid: Pyramid, outlines: NDArray[np.float32], given: Sequence[Any], cards: Sequence[Label]
    ) -> list[tuple[NDArray[np.floating], Label]]:
        """The exact outline of each card, begun as its crop is, and its label in the crop's directions.

        Args:
            outlines: (N, K, 2) of the cards.
            given: for each its corners as a person gave them, perhaps none.
            cards: their labels.
        """

    @abstractmethod
    def frame(self, card: Label) -> CropFrame:
        """Where a card so labelled lies in its crop."""

    @abstractmethod
    def fit(self, deck: str, samples: Sequence[Sample]) -> Profile:
        """What samples teach; without the samples themselves. Raises `UsageError` where they do not suffice."""

    def read(self, path: Path) -> Profile:
        """The profile in a file. Raises `UsageError`."""
        profile = self.profile.read(path)
        self.require_samples(path, profile.deck, profile.samples)
        return profile

    def require_samples(self, path: Path, deck: str, samples: Sequence[Sample]) -> None:
        """Raises `UsageError` ``unreadable-profile`` where a file holds a sample that is none of the deck."""
        for number, sample in enumerate(samples, 1):
            try:
                self.check_sample(deck, sample.label)
                if sample.crop().shape[1::-1] != self.frame(sample.label).size:
                    raise UsageError("its crop has not the size that its label says")
            except UsageError as error:
                message = f"{path} is no profile: sample {number}: {error.message}"
                raise UsageError(message, code="unreadable-profile") from None

    def classifier(self, profile: Any) -> Any:
        """What names cards of a profile's printing."""
        return self.few_shot_classifier(profile)

    def deck_of(self, edition: str | None) -> str:
        """The deck of an edition, by the name that profiles give it."""
        return next((deck for deck in self.decks if edition and deck.endswith(edition)), self.decks[0])

    def is_of_deck(self, profile: Any, deck: str) -> bool:
        """Whether a profile was learnt of a deck, as the recognizer names it."""
        return bool(profile.deck == deck)

    @abstractmethod
    def features(self, samples: Sequence[Sample]) -> list[Feature]:
        """What is printed on samples, as the classifier sees it."""

    @abstractmethod
    def confirmed(self, profile: Any, command: Label, marks: Sequence[Mark]) -> list[Confirmed]:
        """The cards that a move laid and from which a printing can learn.

        Args:
            profile: of the printing.
            command: the move, as it stands.
            marks: the cards on its picture, as they were read; those that the move is about are new.
        """

    @abstractmethod
    def reread(self, profile: Any, samples: Sequence[Sample]) -> list[tuple[str, str | None]]:
        """Each name on samples, and what a profile reads there."""

    @abstractmethod
    def cutouts(self, sample: Sample) -> list[Cutout]:
        """The parts of a sample that show a class each, in a fixed order."""

    @abstractmethod
    def relabelled(self, card: Label, cutout: int, name: str | None) -> Label | None:
        """The label once a cutout is called ``name`` or, for None, not used; None where nothing is left of the card."""
