"""Training of a net's weights by gradient descent, shared by both learners.

PyTorch is imported for training only.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from bolicho.agents.neural.net import Nets, layers
from bolicho.errors import BadInput
from bolicho.store.artifact import Arrays

THREADS = 1
"""Number of training threads; fixed, since the order of sums affects results."""

ACTIVATIONS = ("relu", "leaky_relu", "sigmoid", "tanh")
"""Activations of hidden units in training, by their names in PyTorch; agents support `relu` only (`neural.kernel`)."""

Look = Callable[[Nets], dict[str, Any]]
"""Function that makes a short report on trained nets."""


def torch_library() -> Any:
    """Return PyTorch, or raise `BadInput` with the install command."""
    try:
        import torch
    except ImportError:
        raise BadInput("training nets needs PyTorch: pip install 'bolicho[train]'") from None
    torch.set_num_threads(THREADS)
    return torch


@contextmanager
def without_denormals() -> Iterator[None]:
    """Flush denormal numbers to 0 within the context; the setting affects all computations of the processor.

    Adam's averages of rarely chosen outputs decay to denormals, which are 5 times slower.
    """
    torch = torch_library()
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


class Trainee:
    """One net under Adam. It shares the weights of `nets`, so compiled code sees every step."""

    def __init__(
        self, nets: Nets, which: int = 0, rate: float = 1e-4, decay: float = 0.0, activation: str = "relu"
    ) -> None:
        assert activation in ACTIVATIONS, activation
        torch = self.torch = torch_library()
        self.activation = getattr(torch.nn.functional, activation)
        places = layers(nets.sizes, which)
        first, last = places[0][0].start, places[-1][1].stop
        self.flat = torch.from_numpy(nets.weights)[first:last].requires_grad_()
        self.flat.grad = torch.zeros_like(self.flat)
        bare = self.flat.detach()
        self.parts = []
        for matrix, biases, shape in places:
            for place, form in ((matrix, shape), (biases, shape[1:])):
                inside = slice(place.start - first, place.stop - first)
                part = bare[inside].view(form).requires_grad_()
                part.grad = self.flat.grad[inside].view(form)
                self.parts.append(part)
        self.adam = torch.optim.AdamW([self.flat], lr=rate, weight_decay=decay, fused=True)

    def __call__(self, inputs: Any, parts: list[Any] | None = None, drop: float = 0.0) -> Any:
        """Return the outputs for a batch of inputs."""
        torch = self.torch
        parts = self.parts if parts is None else parts
        for i in range(0, len(parts), 2):
            inputs = torch.addmm(parts[i + 1], inputs, parts[i])
            if i + 2 < len(parts):
                inputs = self.activation(inputs)
                if drop:
                    inputs = torch.nn.functional.dropout(inputs, drop)
        return inputs

    def frozen(self) -> list[Any]:
        """Return a copy of the current weights."""
        return [part.detach().clone() for part in self.parts]

    def step(self, loss: Any, longest: float = math.inf) -> None:
        """Make a step of gradient descent on `loss`, with the gradient's norm limited to `longest`."""
        self.flat.grad.zero_()
        loss.backward()
        if longest < math.inf:
            self.torch.nn.utils.clip_grad_norm_([self.flat], longest)
        self.adam.step()

    def pace(self, rate: float) -> None:
        """Change the learning rate."""
        for group in self.adam.param_groups:
            group["lr"] = rate

    def state(self) -> Arrays:
        """Return the optimizer state, without the weights."""
        state = self.adam.state.get(self.flat, {})
        return {f"adam.{name}": np.asarray(value) for name, value in state.items()}

    def restore(self, arrays: Arrays) -> None:
        """Resume from a state."""
        found = {name[5:]: self.torch.from_numpy(a.copy()) for name, a in arrays.items() if name.startswith("adam.")}
        if found:
            self.adam.state[self.flat] = found
