.kernel k
    do g1, last
    nop
last:
    nop
    nop
    stopi 0
