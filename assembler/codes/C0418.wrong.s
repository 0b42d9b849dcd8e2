    nop
.lmem 4
