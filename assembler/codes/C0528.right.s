.kernel k
    seti g1, 4
    nop
    do g1, last
    nop
last:
    nop
    nop
    stopi 0
