.kernel k
    doi 4, last
    nop
    move g1, lc
    enddo
    nop
last:
    nop
    nop
    stopi 0
