"""Trains the network that makes finds of Hexapod's cases and cards exact, and tells them from what is none.

    python -m models.hexapod.keypoints.draw --cache DIR
    python -m models.hexapod.keypoints.train --cache DIR [--steps 6000] [--warm-start WEIGHTS.onnx] [--traced DIR...]

Learns from true quads gone astray and from what the detector takes for one, see `looks`; what is done with its output
stands in `companion.games.hexapod.vision.detector`.
"""

from pathlib import Path

import torch
from torch import nn

from companion.games.hexapod.vision.detector import CONFIDENCE_LOGIT, PATCH, VOTES
from models.export import export
from models.hexapod.keypoints import draw, views
from models.networks import block
from models.trainer import Losses, Trainer, parser


class KeypointRegressor(nn.Module):
    """A trunk, one answer for the whole view, and votes from a map of 12 x 12 that knows the whole view."""

    def __init__(self) -> None:
        super().__init__()
        self.s8 = nn.Sequential(
            *(block(4, 16, 2), block(16, 16), block(16, 32, 2), block(32, 32)),
            *(block(32, 64, 2), block(64, 64), block(64, 64)),
        )
        self.s16 = nn.Sequential(block(64, 96, 2), block(96, 96), block(96, 96))
        side = PATCH // 16
        self.whole = nn.Sequential(
            *(block(96, 48, k=1), nn.Flatten(), nn.Linear(48 * side * side, 160)),
            *(nn.ReLU(inplace=True), nn.Linear(160, CONFIDENCE_LOGIT + 1)),
        )
        self.up = nn.Sequential(block(96, 64, k=1), nn.Upsample(scale_factor=2.0, mode="nearest"))
        self.places = nn.Sequential(block(64, 64), nn.Conv2d(64, 3, 1), nn.Flatten())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        near = self.s8(x)
        far = self.s16(near)
        answers: torch.Tensor = torch.cat([self.whole(far), self.places(near + self.up(far))], 1)
        return answers


def losses_of(
    out: torch.Tensor, codes: torch.Tensor, votes: torch.Tensor, there: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Loss of the whole's code, of the votes (each weighs its own error: Laplace's law), and of being there."""
    off = nn.functional.smooth_l1_loss(out[:, :CONFIDENCE_LOGIT], codes, reduction="none", beta=0.1).mean(1)
    pose = (off * there).sum() / there.sum().clamp(min=1)
    said = out[:, CONFIDENCE_LOGIT + 1 :].reshape(-1, 3, VOTES, VOTES)
    is_asked = votes.isfinite().all(1)
    error = nn.functional.smooth_l1_loss(said[:, :2], votes.nan_to_num(), reduction="none", beta=0.03).sum(1)
    sharp = said[:, 2].clamp(-6, 6)
    law = (error * sharp.exp() - sharp)[is_asked].mean()
    return pose, law, nn.functional.binary_cross_entropy_with_logits(out[:, CONFIDENCE_LOGIT], there)


def main() -> None:
    options = parser(__doc__, steps=6000, rate=3e-3, batch=48, seed=3)
    options.add_argument("--pictures", type=int, default=3000)
    options.add_argument("--traced", type=Path, nargs="*", default=[], help="folders of path-traced photographs")
    a = options.parse_args()
    trainer = Trainer(KeypointRegressor(), a, weight_decay=1e-3)
    rng, data = trainer.rng, [*draw.pictures(a.cache, a.pictures), *draw.traced_pictures(a.traced)]
    found = views.found_on(data)
    repeat: list[views.Shown] = []

    def first_views() -> list[views.Shown]:
        shown: list[views.Shown] = []
        while len(shown) < a.batch:
            shown += views.first_views(data, found, rng)
        return shown

    def losses() -> Losses:
        shown = (repeat + first_views())[: a.batch]
        patches, *wanted = views.views(data, shown, rng)
        out = trainer.forward(patches)
        repeat[:] = views.next_views(data, shown, out.detach().double().cpu().numpy(), rng)
        pose, votes, presence = losses_of(out, *trainer.move(*wanted))
        return {"pose": pose, "votes": 0.15 * votes, "presence": 0.4 * presence}

    trainer.start_from(views.views(data, first_views(), rng)[0])
    trainer.fit(losses, write, save_every=1000)


def write(net: nn.Module, path: Path) -> None:
    """Export the network."""
    outputs = ("quads", ("n", CONFIDENCE_LOGIT + 1 + 3 * VOTES**2))
    export(net, path, ("views", ("n", 4, PATCH, PATCH)), outputs, (1, 4, PATCH, PATCH))


if __name__ == "__main__":
    main()
