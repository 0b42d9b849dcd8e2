.macro load reg
    lwi f\regg, 0
.endm
    load 1
