    doi 4, last
    doi 4, last
    nop
last:
    nop
    nop
    stopi 0
