.rept 8192
    nop
.endr
