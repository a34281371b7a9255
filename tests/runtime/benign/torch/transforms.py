"""Function transforms and forward-mode derivatives, nested in each other."""

import torch
import torch.autograd.forward_ad as forward
from torch.func import (
    functional_call,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    stack_module_state,
    vjp,
    vmap,
)

x = torch.linspace(0.5, 1.5, 3)
many = torch.linspace(0.5, 1.5, 6).reshape(2, 3)


def energy(v):
    return (torch.log(v) * v.sqrt() / v.exp()).sum()


def curve(v):
    return torch.sin(v) / v


print(grad(energy)(x), grad_and_value(energy)(x))
print(hessian(energy)(x), jacfwd(grad(energy))(x), jacrev(grad(energy))(x), jacrev(jacfwd(energy))(x))
print(jacfwd(jacfwd(energy))(x), jvp(grad(energy), (x,), (x,)), grad(lambda v: grad(energy)(v).sum())(x))
print(vmap(energy)(many), vmap(grad(energy))(many), vmap(hessian(energy))(many), vmap(vmap(torch.log))(many))
print(vjp(curve, x)[1](torch.ones(3)), jacfwd(jacrev(vmap(lambda a: a.log() ** 2)))(x))

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
parameters = {name: p.detach() for name, p in net.named_parameters()}


def loss(p, a, t):
    return (functional_call(net, p, (a,)) - t).square().mean()


target = torch.ones(2, 1)
print(grad(loss)(parameters, many, target), vmap(grad(loss), in_dims=(None, 0, 0))(parameters, many, target))
ones = {name: torch.ones_like(p) for name, p in parameters.items()}
print(jvp(grad(lambda p: loss(p, many, target)), (parameters,), (ones,)))
nets = [torch.nn.Linear(3, 1) for _ in range(2)]
stacked = stack_module_state(nets)
print(vmap(lambda p, b: functional_call(nets[0], (p, b), (many,)))(*stacked))

with forward.dual_level():
    dual = forward.make_dual(x, torch.ones(3))
    print(forward.unpack_dual(energy(dual)), forward.unpack_dual(torch.where(dual > 1, dual.log(), dual * 0)))
leaf = x.clone().requires_grad_()
with forward.dual_level():
    tangent = forward.unpack_dual((forward.make_dual(leaf, torch.ones(3)) ** 3).sum()).tangent
    print(torch.autograd.grad(tangent, leaf))
print(torch.autograd.functional.hessian(energy, x), torch.autograd.functional.jvp(curve, x, torch.ones(3)))
print(torch.autograd.functional.jacobian(curve, x, strategy="forward-mode", vectorize=True))


class Cube(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(v):
        return v**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.save_for_forward(inputs[0])

    @staticmethod
    def backward(ctx, gradient):
        (v,) = ctx.saved_tensors
        return gradient * 3 * v**2

    @staticmethod
    def jvp(ctx, tangent):
        (v,) = ctx.saved_tensors
        return tangent * 3 * v**2


print(vmap(grad(lambda v: Cube.apply(v).sum()))(many), jacrev(Cube.apply)(x), hessian(lambda v: Cube.apply(v).sum())(x))
print(torch.autograd.grad(torch.view_as_real(torch.complex(leaf, leaf).conj() ** 2).sum(), leaf))
print(vmap(lambda a: torch.complex(a, a).conj().log())(many))
