    doi 4, last
    nop
last:
    sync
    nop
    stopi 0
