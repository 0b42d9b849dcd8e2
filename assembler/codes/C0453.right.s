    doi 4, outer
    doi 4, inner
    nop
inner:
    nop
outer:
    nop
    nop
    stopi 0
