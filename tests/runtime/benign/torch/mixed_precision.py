"""Mixed precision on the CPU with a GradScaler: it starts too high, skips steps, and goes on."""

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**126, growth_interval=2)
x = torch.randn(16, 4)
y = x.sum(-1, keepdim=True)
for step in range(8):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = torch.nn.functional.mse_loss(model(x).float(), y) * 100
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    scaler.step(optimizer)
    before = scaler.get_scale()
    scaler.update()
    print(step, loss.item(), before, "skipped" if scaler.get_scale() < before else "stepped")
print([p.double().sum().item() for p in model.parameters()])
