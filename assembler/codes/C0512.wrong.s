.kernel k
    ldi f0, 5
    stopi 0
