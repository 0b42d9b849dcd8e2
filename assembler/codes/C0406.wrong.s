.rept 100000000
.endr
    nop
