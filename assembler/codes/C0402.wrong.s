    nop
.endr
