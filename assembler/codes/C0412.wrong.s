    nop
    .quad 1
