    nop
.lmem all
    .quad 1
.lmem 2
.org 1
    .quad 2
