.equ n, 3
    nop
