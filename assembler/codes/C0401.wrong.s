.equal n, 3
    nop
