"""What is measured of seedbased synthesis alone: pass rates, pools of candidates, bounds."""
