.kernel a
    nop
.kernel a
    nop
