    nop
.lmem all
    .zero 8192
