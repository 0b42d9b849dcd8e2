.kernel k
    doi 4, last
    start_dma
last:
    nop
    nop
    stopi 0
