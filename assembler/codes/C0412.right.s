    nop
.lmem all
    .quad 1
