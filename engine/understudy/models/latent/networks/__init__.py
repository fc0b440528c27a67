"""Networks of whole numbers: trained under differential privacy, and evaluated to the same bits
whatever is evaluated beside."""
