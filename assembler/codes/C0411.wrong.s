.kernel a
.kernel b
    nop
