.equ big, 0xffffffffffffffff * 2
    nop
