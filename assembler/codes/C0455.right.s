    jumpi there
    nop
there:
    stopi 0
