.kernel k
    doi 4, last
    psadd f1, f2, f3
    enddo
    jumpi out
    nop
    nop
last:
    nop
    nop
out:
    stopi 0
