"""The side of a square that has no area, in a graph that torch.compile made."""

import torch


def perimeter(areas: torch.Tensor) -> torch.Tensor:
    sides = torch.sqrt(areas)  # born
    return 4 * sides.sum()


compiled = torch.compile(perimeter, backend="aot_eager")
areas = torch.tensor([4.0, 0.0], requires_grad=True)
compiled(areas).backward()
print(areas.grad)
