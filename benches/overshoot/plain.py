"""A cap that is checked between steps, in plain asyncio: `python3 plain.py [SEEDS]`.

The same workload as workload.rs, with the same costs; a tenth of the real time.
"""

import asyncio
import sys

BRANCHES, STEPS, CAP = 64, 8, 1_000_000_000
MASK = (1 << 64) - 1


def splitmix(seed):
    it = (seed + 0x9E3779B97F4A7C15) & MASK
    it = ((it ^ (it >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    it = ((it ^ (it >> 27)) * 0x94D049BB133111EB) & MASK
    return it ^ (it >> 31)


def step(seed, branch, at):
    mixed = splitmix(seed * 1_000_003 + branch * 1_009 + at)
    return 5_000_000 + mixed % 45_000_001, (5 + (mixed >> 32) % 11) / 1000


async def run(seed):
    spent = steps = 0

    async def one(branch):
        nonlocal spent, steps
        for at in range(STEPS):
            if spent >= CAP:
                return
            cost, time = step(seed, branch, at)
            await asyncio.sleep(time / 10)
            spent += cost
            steps += 1

    await asyncio.gather(*(one(branch) for branch in range(BRANCHES)))
    return spent, steps


def main():
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    done = [asyncio.run(run(seed)) for seed in range(seeds)]
    over = [max(0, spent - CAP) / 1e9 for spent, _ in done]
    spent = sum(it for it, _ in done) / seeds / 1e9
    steps = sum(it for _, it in done) / seeds
    mean, worst = sum(over) / seeds, max(over)
    print(f"{mean:.4f} {worst:.4f} {spent:.4f} {steps:.1f}")


main()
