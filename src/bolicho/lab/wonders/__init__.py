"""Study of Pereira 2021: 7 Wonders for three players."""
