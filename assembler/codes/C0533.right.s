.kernel k
    jumpi out
    nop
out:
    stopi 0
