.rept 2
    nop
.endr
