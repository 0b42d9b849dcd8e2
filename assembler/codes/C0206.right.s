.equ a, b + 1
.equ b, 1
    nop
