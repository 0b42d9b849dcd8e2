.equ count1, 64
    nop
