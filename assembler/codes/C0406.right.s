.rept 1000
.endr
    nop
