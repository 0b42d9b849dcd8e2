.kernel k
    move g1, psp
    stopi 0
