back:
    nop
    doi 4, back
    nop
    nop
    stopi 0
