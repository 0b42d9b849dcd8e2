.kernel k
    ldi f0, 4
    stopi 0
