.kernel k
    move status, g1
    stopi 0
