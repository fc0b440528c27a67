"""The mechanism as it was practised: greedy trees and a Markov chain. It gives no ε.

Everything here is for tables that nobody's privacy depends on: simulated ones, and those that
somebody declares public, with the reason (`PublicTable`).
"""
