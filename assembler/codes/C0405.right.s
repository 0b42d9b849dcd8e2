.macro again n
.if \n
    nop
    again \n-1
.endif
.endm
    again 3
