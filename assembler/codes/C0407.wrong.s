.macro add2 x, y
    add f\x, f\x, f\y
.endm
    add2 1
