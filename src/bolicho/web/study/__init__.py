"""Studies with participants: plans, steps of participants, and pages for researchers."""
