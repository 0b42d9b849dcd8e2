.equ n, 2
.equ half, 8 / n
    nop
