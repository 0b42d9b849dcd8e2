    nop
    doi 4, last
last:
    nop
    nop
    stopi 0
