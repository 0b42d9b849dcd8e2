.macro cadd x
    nop
.endm
    nop
