.kernel k
    move lc, g1
    stopi 0
