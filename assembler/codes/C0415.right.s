.kernel a
    nop
    nop
.kernel b
.org 2
    nop
