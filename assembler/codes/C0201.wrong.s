    jumpi lop
    nop
loop:
    stopi 0
