    doi 4, last
    enddo
    jumpi out
last:
    nop
    nop
out:
    stopi 0
