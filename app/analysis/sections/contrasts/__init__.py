"""The contrasts that studies ask for beside source against reference: factors, attributes, pools, turns and so on."""
