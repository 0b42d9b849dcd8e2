.kernel k
    seti g1, 1
    doi 4, last
    move lc, g1
last:
    nop
    nop
    stopi 0
