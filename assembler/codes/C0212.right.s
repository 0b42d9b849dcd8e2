size: nop
; file: other.s
.equ size_of, 5
.global size_of
