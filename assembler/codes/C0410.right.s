.kernel a
    nop
.kernel b
    nop
