    nop
.lmem all
    .quad 1
.lmem 2
    .quad 2
