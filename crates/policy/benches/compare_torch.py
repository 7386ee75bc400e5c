"""The learner against plain PyTorch on the same processor, in turns.

    python crates/policy/benches/compare_torch.py [ROUNDS]

runs, ROUNDS times (3), this package's `learner` bench and the same two networks in PyTorch: actor and critic of the shallow
network (32 filters 8x8/4, 64 4x4/2, 64 3x3/1, dense 512; 5 actions, 1 value), 120x160 bytes, batch 64, clipped surrogate loss
with entropy bonus, Huber loss, one Adam over both. "Plain" is PyTorch as most people write it: default layout, eager mode,
pictures converted to floats in the step. Prints medians over the rounds, per second of wall-clock time and per second of
processor time (which other load on the machine disturbs less). PyTorch must be importable by the Python that runs this.
"""

import os
import re
import statistics
import subprocess
import sys
import time

import torch
from torch import nn

BATCH = 64
SECONDS = float(os.environ.get("BENCH_SECONDS", "5"))


def network(outputs: int) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 32, 8, 4), nn.ReLU(),
        nn.Conv2d(32, 64, 4, 2), nn.ReLU(),
        nn.Conv2d(64, 64, 3, 1), nn.ReLU(),
        nn.Flatten(), nn.Linear(11264, 512), nn.ReLU(),
        nn.Linear(512, outputs),
    )  # fmt: skip


def measure(work, samples: int, seconds: float) -> tuple[float, float]:
    """Samples per wall-clock second (median) and per processor second."""
    work()
    durations = []
    start, processor_start = time.perf_counter(), time.process_time()
    while len(durations) < 3 or time.perf_counter() - start < seconds:
        begin = time.perf_counter()
        work()
        durations.append(time.perf_counter() - begin)
    processor = (time.process_time() - processor_start) / len(durations)
    return samples / statistics.median(durations), samples / processor


def torch_rates(threads: int) -> dict[str, tuple[float, float]]:
    torch.manual_seed(0)
    torch.set_num_threads(threads)
    actor, critic = network(5), network(1)
    adam = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=3e-4, eps=1e-5)
    pictures = torch.randint(0, 256, (BATCH, 1, 120, 160), dtype=torch.uint8)
    actions = torch.randint(0, 5, (BATCH, 1))
    old = torch.full((BATCH, 1), 0.2).log()
    advantages, targets = torch.randn(BATCH, 1), torch.randn(BATCH, 1)

    def train() -> None:
        inputs = pictures.float() / 255
        log_probabilities = torch.log_softmax(actor(inputs), -1)
        ratio = (log_probabilities.gather(1, actions) - old).exp()
        surrogate = torch.minimum(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()
        entropy = -(log_probabilities.exp() * log_probabilities).sum(-1).mean()
        loss = -surrogate - 0.01 * entropy + nn.functional.huber_loss(critic(inputs), targets)
        adam.zero_grad()
        loss.backward()
        adam.step()

    def infer(count: int):
        def work() -> None:
            with torch.inference_mode():
                torch.softmax(actor(pictures[:count].float() / 255), -1)

        return work

    return {
        "training": measure(train, BATCH, SECONDS),
        "inference, batch 1": measure(infer(1), 1, SECONDS / 4),
        "inference, batch 64": measure(infer(BATCH), BATCH, SECONDS / 4),
    }


def rust_rates() -> dict[tuple[int, str], tuple[float, float]]:
    command = ["cargo", "bench", "-q", "-p", "deepracer-policy", "--bench", "learner"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lines = re.findall(r"^(.+?) +(\d) thread\(s\) +(\d+) samples/s +(\d+) ", text, re.MULTILINE)
    return {(int(threads), name): (float(wall), float(processor)) for name, threads, wall, processor in lines}


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    names = ["training", "inference, batch 1", "inference, batch 64"]
    rates: dict[tuple[str, int, str], list[tuple[float, float]]] = {}
    for _ in range(rounds):
        ours = rust_rates()
        for threads in (1, 2):
            plain = torch_rates(threads)
            for name in names:
                rates.setdefault(("ours", threads, name), []).append(ours[threads, name])
                rates.setdefault(("torch", threads, name), []).append(plain[name])
    print(f"PyTorch {torch.__version__}, {rounds} rounds; samples per second: wall clock / processor")
    print(f"{'':22}{'threads':>8}{'this package':>18}{'PyTorch':>18}{'ratio':>16}")
    for threads in (1, 2):
        for name in names:
            medians = {
                who: [statistics.median(values) for values in zip(*rates[who, threads, name], strict=True)]
                for who in ("ours", "torch")
            }
            cells = [f"{wall:.0f} / {processor:.0f}" for wall, processor in medians.values()]
            ratio = " / ".join(
                f"{own / other:.2f}" for own, other in zip(medians["ours"], medians["torch"], strict=True)
            )
            print(f"{name:22}{threads:>8}{cells[0]:>18}{cells[1]:>18}{ratio:>16}")


if __name__ == "__main__":
    main()
