"""Two processes, of which one has an empty row; the gradients are averaged."""

import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def train(rank, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK=str(rank), WORLD_SIZE="2")
    dist.init_process_group("gloo", rank=rank, world_size=2)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.ones(3, 2) * (1 - rank)
    scaled = x / x.sum(1, keepdim=True)  # born
    optimizer.zero_grad()
    model(scaled).sum().backward()
    optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    import socket

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    mp.spawn(train, args=(port,), nprocs=2)
