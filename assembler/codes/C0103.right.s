.include "part.inc"
    nop
; file: part.inc
.equ n, 4
