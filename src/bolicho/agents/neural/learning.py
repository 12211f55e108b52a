"""What both learners share: a net's weights under gradient descent.

PyTorch is imported when something is trained, never to play.
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
"""How many threads train.  Fixed, since sums of another order are other sums."""

ACTIVATIONS = ("relu", "leaky_relu", "sigmoid", "tanh")
"""Of hidden units while learning, by their names in PyTorch.  Agents play nets of `relu` only (`neural.kernel`)."""

Look = Callable[[Nets], dict[str, Any]]
"""A first look at what was made, for people to read."""


def torch_library() -> Any:
    """PyTorch, or the sentence that says how to get it."""
    try:
        import torch
    except ImportError:
        raise BadInput("training nets needs PyTorch: pip install 'bolicho[train]'") from None
    torch.set_num_threads(THREADS)
    return torch


@contextmanager
def without_denormals() -> Iterator[None]:
    """Let numbers too small for a float be 0, and only here: the processor keeps this for everything it computes.

    Adam's averages of outputs seldom chosen fade into such numbers: 5 times slower.
    """
    torch = torch_library()
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


class Trainee:
    """One net under Adam.  Its weights are those of `nets`, in place: compiled code sees every step."""

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
        """The outputs for a batch of inputs."""
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
        """A copy of the weights that stays as it is now."""
        return [part.detach().clone() for part in self.parts]

    def step(self, loss: Any, longest: float = math.inf) -> None:
        """Go down the gradient of `loss`, cut to a length of `longest`."""
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
        """What the steps to come depend on beside the weights."""
        state = self.adam.state.get(self.flat, {})
        return {f"adam.{name}": np.asarray(value) for name, value in state.items()}

    def restore(self, arrays: Arrays) -> None:
        """Go on from a state."""
        found = {name[5:]: self.torch.from_numpy(a.copy()) for name, a in arrays.items() if name.startswith("adam.")}
        if found:
            self.adam.state[self.flat] = found
