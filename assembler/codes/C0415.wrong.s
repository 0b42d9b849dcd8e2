.kernel a
    nop
    nop
.kernel b
.org 1
    nop
