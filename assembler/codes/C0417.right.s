    nop
    nop
.org 3
    nop
