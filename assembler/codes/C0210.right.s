.equ n, 3
.rept n
    nop
.endr
