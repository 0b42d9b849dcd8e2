    nop
.lmem all
    .zero 8193
