.equ big, 0x7fffffffffffffff * 2
    nop
