.rept n
    nop
.endr
.equ n, 3
