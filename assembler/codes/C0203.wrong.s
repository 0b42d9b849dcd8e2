.equ n1, 64
    nop
