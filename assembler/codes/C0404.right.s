.macro cadd2 x
    nop
.endm
    nop
