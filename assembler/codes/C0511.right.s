.kernel k
    nop
    stopi 0
