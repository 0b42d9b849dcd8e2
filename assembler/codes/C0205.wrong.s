.equ n, 0
.equ half, 8 / n
    nop
