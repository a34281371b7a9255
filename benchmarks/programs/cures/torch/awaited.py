import asyncio

import torch


async def evaluate(scores, ready):
    chances = torch.softmax(scores, -1)
    await ready(scores)
    return torch.log(chances)


async def refill(buffer):
    buffer.copy_(torch.tensor([3.0, 1.0]))


async def nothing(buffer):
    return None


def ordinary():
    return asyncio.run(evaluate(torch.tensor([1.0, 2.0]), refill))


def witness():
    return asyncio.run(evaluate(torch.tensor([0.0, 200.0]), nothing))
