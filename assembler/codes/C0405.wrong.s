.macro again
    again
.endm
    nop
    again
