    doi 4, last
    sync
last:
    nop
    nop
    stopi 0
