.rept 8193
    nop
.endr
