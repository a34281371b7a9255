"""The side of a square that has no area, in a graph that torch.compile made."""

import torch


@torch.compile(backend="aot_eager")
def perimeter(areas: torch.Tensor) -> torch.Tensor:
    sides = torch.sqrt(areas)  # born
    return 4 * sides.sum()


areas = torch.tensor([4.0, 0.0], requires_grad=True)
perimeter(areas).backward()
print(areas.grad)
