"""Contrasts other than source against reference: factors, attributes, pools, turns and so on."""
