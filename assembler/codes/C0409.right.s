    nop
.include "part.inc"
; file: part.inc
.equ n, 4
