    nop
    nop
.org 1
    nop
