.macro load reg
    lwi f\reg, 0
.endm
    load 1
