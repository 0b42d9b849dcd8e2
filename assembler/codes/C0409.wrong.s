    nop
.include "part.inc"
; file: part.inc
.include "part.inc"
