    doi 4, last
    enddo
    jumpi out
    nop
last:
    nop
    nop
out:
    stopi 0
