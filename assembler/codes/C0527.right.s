.kernel k
    doi 4, last
    move g1, lc
    nop
    enddo
    nop
last:
    nop
    nop
    stopi 0
