"""Studies of Paulus 2020 and Paulus et al.: case-based agents at Truco."""
