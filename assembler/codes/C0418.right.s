    nop
.lmem 3
