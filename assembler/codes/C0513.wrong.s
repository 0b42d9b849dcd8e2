.kernel k
    move psp, g1
    stopi 0
