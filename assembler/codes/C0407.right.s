.macro add2 x, y=0
    add f\x, f\x, f\y
.endm
    add2 1
