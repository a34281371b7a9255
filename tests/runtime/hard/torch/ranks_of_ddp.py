"""Two processes, of which one has an empty row; the gradients are averaged."""

import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def train(rank, meeting):
    os.environ.update(RANK=str(rank), WORLD_SIZE="2")
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=2)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.ones(3, 2) * (1 - rank)
    scaled = x / x.sum(1, keepdim=True)  # born
    optimizer.zero_grad()
    model(scaled).sum().backward()
    optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(train, args=(os.path.abspath("meeting"),), nprocs=2)
