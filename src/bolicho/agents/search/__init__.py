"""Search techniques for every game: playouts, alpha-beta, Monte Carlo trees, sampled worlds."""

from bolicho.agents.technique import Preset, Technique

TECHNIQUE = Technique(
    "search",
    agents={
        "alphabeta": "bolicho.agents.search.agents:AlphaBeta",
        "mcts": Preset("bolicho.agents.search.agents:MCTS", slow=("truco", "wonders")),
        "infer": Preset("bolicho.agents.search.infer:Infer", slow=("truco", "dominoes", "fives", "wonders")),
        "open-mcts": "bolicho.agents.search.agents:OpenMCTS",
        "pimc-search": Preset("bolicho.agents.search.agents:PIMC", slow=("truco", "dominoes", "fives", "wonders")),
        "pi": "bolicho.agents.search.dominoes.agents:PerfectInformation",
        "pimc": Preset("bolicho.agents.search.agents:pimc_with_solver", slow=("dominoes", "fives")),
    },
    bindings={
        "truco": "bolicho.agents.search.truco:BINDING",
        "dominoes": "bolicho.agents.search.dominoes:BINDING",
        "fives": "bolicho.agents.search.dominoes:BINDING",
        "wonders": "bolicho.agents.search.wonders:BINDING",
    },
    # Limits of a few milliseconds per decision (one or two in Truco): a match has a hundred decisions, and every pair
    # plays a thousand games.
    matrix={
        "Monte Carlo trees": {
            "truco": "mcts(iterations=300)",
            "dominoes": "mcts(iterations=500)",
            "fives": "mcts(iterations=500)",
            "wonders": "mcts(iterations=200)",
        },
        "sampled worlds": {
            "truco": "pimc-search(nodes=50, worlds=5)",
            "dominoes": "pimc(worlds=10)",
            "fives": "pimc(node_cap=10000, worlds=4)",
            "wonders": "pimc-search(iterations=20, worlds=5)",
        },
        "search that infers": {
            "truco": "infer(iterations=100, worlds=50)",
            "dominoes": "infer(iterations=500)",
            "fives": "infer(iterations=500)",
            "wonders": "infer(iterations=30, worlds=10)",
        },
    },
)
