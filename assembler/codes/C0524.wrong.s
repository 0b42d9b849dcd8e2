.kernel k
    seti g1, 0x3000
    move a1, g1
    move g2, a1
    stopi 0
