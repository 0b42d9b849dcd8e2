    runi there
    nop
there:
    stopi 0
