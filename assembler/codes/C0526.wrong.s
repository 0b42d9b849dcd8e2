.kernel k
    doi 0, last
    start_dma
last:
    nop
    nop
    stopi 0
